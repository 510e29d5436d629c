import solace from "solclientjs";

/** The client, initialised: whatever else this process does with it, only the first initialisation counts. */
solace.SolclientFactory.init(
  new solace.SolclientFactoryProperties({
    profile: solace.SolclientFactoryProfiles.version10_5,
    logLevel: solace.LogLevel.FATAL,
  }),
);

export { solace };

/** Where to connect, and as whom. */
export interface SessionAddress {
  readonly url: string;
  readonly vpnName: string;
  readonly userName: string;
  readonly password: string;
}

/** Whom a broker lets in that asks for nobody in particular, as its container does. */
const anybody = "default";

/** Of a URL such as `tcp://user:password@host:55555/vpn`. */
export function sessionAddress(url: string): SessionAddress {
  const { protocol, host, pathname, username, password } = new URL(url);
  return {
    url: `${protocol}//${host}`,
    vpnName: decodeURIComponent(pathname.slice(1)) || anybody,
    userName: decodeURIComponent(username) || anybody,
    password: decodeURIComponent(password),
  };
}

/** A connected session. The caller ends it. Rejects with the client's `subcode`. */
export async function connectSession(
  address: SessionAddress,
  connectTimeoutInMsecs: number,
): Promise<solace.Session> {
  const session = solace.SolclientFactory.createSession({
    ...address,
    connectTimeoutInMsecs,
    connectRetries: 0,
    reconnectRetries: 0,
  } as solace.SessionProperties);
  const code = solace.SessionEventCode;
  try {
    await new Promise<void>((resolve, reject) => {
      session.on(code.UP_NOTICE, () => resolve());
      session.on(code.CONNECT_FAILED_ERROR, ({ message, subcode }) => {
        reject(Object.assign(new Error(message), { subcode }));
      });
      session.connect();
    });
  } catch (error) {
    session.dispose();
    throw error;
  }
  return session;
}

/** With a goodbye, behind what was acknowledged. */
export async function endSession(session: solace.Session): Promise<void> {
  const { DISCONNECTED, DOWN_ERROR } = solace.SessionEventCode;
  try {
    await new Promise<void>((resolve) => {
      session.on(DISCONNECTED, () => resolve());
      session.on(DOWN_ERROR, () => resolve()); // The connection is lost: there is nobody to say it to.
      session.disconnect();
    });
  } finally {
    session.dispose();
  }
}

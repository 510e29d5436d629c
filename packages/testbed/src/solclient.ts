import solace from "solclientjs";

/** The client, initialised: whatever else this process does with it, only the first initialisation counts. */
solace.SolclientFactory.init(
  new solace.SolclientFactoryProperties({
    profile: solace.SolclientFactoryProfiles.version10_5,
    logLevel: solace.LogLevel.FATAL,
  }),
);

export { solace };

/** Properties of a session for a URL such as `tcp://user:password@host:55555/vpn`. */
export function sessionProperties(url: string): {
  readonly url: string;
  readonly vpnName: string;
  readonly userName: string;
  readonly password: string;
} {
  const { protocol, host, pathname, username, password } = new URL(url);
  return {
    url: `${protocol}//${host}`,
    vpnName: decodeURIComponent(pathname.slice(1)) || "default",
    userName: decodeURIComponent(username) || "default",
    password: decodeURIComponent(password),
  };
}

/** A connected session. The caller disposes of it. */
export async function connectSession(
  url: string,
  connectTimeoutInMsecs: number,
): Promise<solace.Session> {
  const session = solace.SolclientFactory.createSession({
    ...sessionProperties(url),
    connectTimeoutInMsecs,
    connectRetries: 0,
    reconnectRetries: 0,
  } as solace.SessionProperties);
  const code = solace.SessionEventCode;
  try {
    await new Promise<void>((resolve, reject) => {
      session.on(code.UP_NOTICE, () => resolve());
      session.on(code.CONNECT_FAILED_ERROR, (error) => {
        const { message, subcode } = error;
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
  await new Promise<void>((resolve) => {
    session.on(solace.SessionEventCode.DISCONNECTED, () => resolve());
    session.disconnect();
  });
  session.dispose();
}

import { LabError } from "@lab/core";
import type { Identity, Trust } from "../../kind.ts";
import { connectSession, endSession, type SessionAddress, solace } from "../../solclient.ts";
import type { Target } from "../../target.ts";

const connectLimit = 5_000;

/** What the test double calls itself, so that nobody takes it for a Solace product. */
export const testBrokerPlatform = "solace-testbroker";

/** A login, with a publisher's flow; the broker says in it who it is. */
export async function solaceHandshake(target: Target, { signal }: Trust): Promise<Identity> {
  signal?.throwIfAborted();
  try {
    const session = await connectSession(addressOf(target), connectLimit);
    const { PEER_PLATFORM, PEER_SOFTWARE_VERSION } = solace.CapabilityType;
    const say = (type: solace.CapabilityType): string =>
      String(session.getCapability(type)?.getValue() ?? "unknown");
    const product = say(PEER_PLATFORM);
    const version = say(PEER_SOFTWARE_VERSION);
    await endSession(session);
    signal?.throwIfAborted();
    return { product, version, real: product !== testBrokerPlatform };
  } catch (error) {
    signal?.throwIfAborted();
    const { subcode, message } = error as { subcode?: unknown; message: string };
    if (subcode !== solace.ErrorSubcode.LOGIN_FAILURE) throw error;
    throw new LabError("ACCESS_REFUSED", message, { cause: error });
  }
}

function addressOf({ host, port, tls, credentials, path = "" }: Target): SessionAddress {
  const name = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${tls ? "tcps" : "tcp"}://${name}:${port}`,
    vpnName: decodeURIComponent(path.slice(1)) || "default",
    userName: credentials?.username ?? "default",
    password: credentials?.password ?? "",
  };
}

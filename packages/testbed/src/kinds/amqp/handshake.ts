import { LabError } from "@lab/core";
import { connect } from "amqplib";
import type { Identity, Trust } from "../../kind.ts";
import type { Target } from "../../target.ts";

const connectLimit = 5_000;

/** The handshake up to an open virtual host; the server says in it who it is. */
export async function amqpHandshake(target: Target, { ca, signal }: Trust): Promise<Identity> {
  signal?.throwIfAborted();
  try {
    // `signal` is an option of Node's sockets, which amqplib passes on.
    const options = { timeout: connectLimit, signal, ...(ca !== undefined && { ca }) };
    const connection = await connect(connectOptions(target), options);
    connection.on("error", () => {}); // One that nobody listens to ends the process.
    const { product, version } = connection.connection.serverProperties;
    await connection.close();
    return { product, version, real: true };
  } catch (error) {
    signal?.throwIfAborted();
    const { message } = error as Error;
    if (!/ACCESS_REFUSED/.test(message)) throw error;
    throw new LabError("ACCESS_REFUSED", message, { cause: error });
  }
}

function connectOptions({ host, port, tls, credentials, path = "" }: Target) {
  const { pathname, searchParams } = new URL(path, "amqp://host");
  const vhost = decodeURIComponent(pathname.slice(1));
  return {
    protocol: tls ? "amqps" : "amqp",
    hostname: host,
    port,
    ...(vhost !== "" && { vhost: encodeURIComponent(vhost) }), // amqplib decodes it
    ...credentials,
    ...(searchParams.has("heartbeat") && { heartbeat: Number(searchParams.get("heartbeat")) }),
  };
}

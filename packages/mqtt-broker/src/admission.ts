import { Client } from "./client.ts";
import { encodeControl } from "./codec/control.ts";
import type { ConnectRequest } from "./connect-request.ts";
import type { Connection } from "./connection.ts";
import type { Hub } from "./hub.ts";
import { PacketFault, Reason } from "./reason.ts";
import type { ClientInfo } from "./types.ts";

/**
 * Decides on a CONNECT and, where it is accepted, gives the client its session and sends CONNACK, and behind it what the
 * session has for the client.
 * @throws {PacketFault} with the reason for CONNACK
 */
export async function admit(
  hub: Hub,
  connection: Connection,
  request: ConnectRequest,
): Promise<void> {
  const { clientId, username, password, version } = request;
  const { remoteAddress } = connection;
  const info: ClientInfo = { clientId, username, protocolVersion: version, remoteAddress };
  requireRoom(hub, clientId);
  const { authenticate } = hub.settings;
  if (authenticate !== undefined) {
    const accepted = await hub.ask("authenticate", () => authenticate({ ...info, password }));
    if (connection.closed) return;
    if (!accepted) {
      throw new PacketFault(Reason.badUserNameOrPassword, "Wrong user name or password.");
    }
    requireRoom(hub, clientId); // Others may have come meanwhile.
  }
  requireWill(hub, info, request);

  const { session, present } = hub.sessions.open(clientId, request.clean);
  const client = new Client(hub, connection, info, session, request);
  connection.client = client;
  hub.sessions.attach(session, client, request.expiry, request.will);
  hub.clients.add(client);
  connection.wire.write(connack(hub, request, present));
  session.outbox.attach(client.line);
  hub.tell("connect", info, { present });
  session.pump();
  hub.flush();
}

function requireRoom(hub: Hub, clientId: string): void {
  const { maxClients, maxSessions } = hub.settings;
  const known = hub.sessions.get(clientId);
  if (hub.clients.size >= maxClients && !known?.connected) {
    throw new PacketFault(Reason.quotaExceeded, `There are ${maxClients} clients already.`);
  }
  if (hub.sessions.size >= maxSessions && known === undefined) {
    throw new PacketFault(Reason.quotaExceeded, `There are ${maxSessions} sessions already.`);
  }
}

function requireWill(hub: Hub, info: ClientInfo, { will }: ConnectRequest): void {
  if (will === undefined) return;
  const fault = hub.topics.faultOf(will.topic);
  if (fault !== undefined) {
    throw new PacketFault(Reason.topicNameInvalid, `The topic of the will: ${fault}.`);
  }
  if (!hub.allows(info, will.topic)) {
    throw new PacketFault(Reason.notAuthorized, "The client may not publish its will.");
  }
}

function connack(hub: Hub, request: ConnectRequest, sessionPresent: boolean): Buffer {
  const { version, clientId, assigned, expiry, expiryLimited } = request;
  if (version === 4) {
    return encodeControl({ cmd: "connack", returnCode: 0, sessionPresent }, 4);
  }
  const { receiveMaximum, maxPacketSize, topicAliasMaximum } = hub.settings;
  const properties = {
    maximumPacketSize: maxPacketSize,
    ...(receiveMaximum < 65_535 && { receiveMaximum }),
    ...(topicAliasMaximum > 0 && { topicAliasMaximum }),
    ...(assigned && { assignedClientIdentifier: clientId }),
    ...(expiryLimited && { sessionExpiryInterval: expiry }),
  };
  return encodeControl({ cmd: "connack", reasonCode: 0, sessionPresent, properties }, 5);
}

/** Reason codes of MQTT 5, as far as this broker gives them. */
export const Reason = {
  success: 0x00,
  disconnectWithWill: 0x04,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  implementationSpecific: 0x83,
  unsupportedVersion: 0x84,
  clientIdNotValid: 0x85,
  badUserNameOrPassword: 0x86,
  notAuthorized: 0x87,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
} as const;

/** What CONNACK of 3.1.1 says for a reason of MQTT 5. */
export function returnCode(reason: number): number {
  switch (reason) {
    case Reason.success:
      return 0;
    case Reason.unsupportedVersion:
      return 1;
    case Reason.clientIdNotValid:
      return 2;
    case Reason.badUserNameOrPassword:
      return 4;
    case Reason.notAuthorized:
      return 5;
    default:
      return 3; // server unavailable
  }
}

/** A packet that costs its sender the connection. */
export class PacketFault extends Error {
  readonly reasonCode: number;

  constructor(reasonCode: number, message: string) {
    super(message);
    this.reasonCode = reasonCode;
  }
}

export function malformed(what: string): PacketFault {
  return new PacketFault(Reason.malformedPacket, what);
}

export function protocolError(what: string): PacketFault {
  return new PacketFault(Reason.protocolError, what);
}

/**
 * Numbers of SMF, the wire protocol of Solace brokers, as the published Wireshark dissector
 * (github.com/SolaceLabs/wireshark-smf-plugin) and the frames of clients show them. Only what the double speaks.
 */

export const Protocol = {
  assuredCtrl: 0x09,
  keepAlive: 0x0b,
  clientCtrl: 0x0c,
  message: 0x0d,
  subscriptions: 0x0f,
} as const;

/** Parameters of the SMF header. */
export const HeaderParam = {
  userName: 0x06,
  password: 0x07,
  response: 0x08,
  deliveryMode: 0x10,
  messageId: 0x11,
  previousMessageId: 0x12,
  redelivered: 0x13,
  contentSummary: 0x16,
  flowId: 0x17,
  topic: 0x18,
  extended: 0x1f,
} as const;

/** Short parameters of the SMF header. */
export const ShortParam = {
  correlationTag: 0,
  topicOffset: 1,
  queueOffset: 2,
} as const;

/** Parameters within {@link HeaderParam.extended}. */
export const ExtendedParam = {
  /** The message's id in the spool, where it is not its id on this flow. */
  spoolId: 0x029,
  redeliveries: 0x02e,
  accessToken: 0x031,
} as const;

/** Parts of a body, in {@link HeaderParam.contentSummary}. */
export const ContentPart = { binaryMetadata: 4 } as const;

/** Bits of the first byte of a frame. */
export const FrameFlag = { guaranteed: 0x10, deadMessageQueueEligible: 0x08 } as const;

export const LoginParam = {
  softwareVersion: 0x00,
  softwareDate: 0x01,
  platform: 0x02,
  clientName: 0x05,
  vpnName: 0x06,
  inbox: 0x08,
  capabilities: 0x09,
  virtualRouter: 0x0a,
  routerName: 0x0c,
} as const;

export const SubscriptionType = { add: 0, remove: 1, addToQueue: 2, removeFromQueue: 3 } as const;

export const AssuredType = {
  openPublisher: 0,
  acknowledge: 3,
  bind: 4,
  unbind: 5,
  closePublisher: 7,
  create: 8,
  delete: 9,
  flowChange: 0x0c,
} as const;

export const AssuredParam = {
  lastSent: 0x01,
  lastAcked: 0x02,
  window: 0x03,
  applicationAck: 0x05,
  flowId: 0x06,
  queueName: 0x07,
  topicEndpointName: 0x08,
  topic: 0x09,
  flowName: 0x0a,
  durability: 0x0b,
  accessType: 0x0c,
  transportWindow: 0x0e,
  lastReceived: 0x10,
  othersPermissions: 0x11,
  flowType: 0x12,
  quotaMb: 0x13,
  maxMessageSize: 0x14,
  grantedPermissions: 0x15,
  respectTtl: 0x16,
  active: 0x20,
  wantFlowChange: 0x21,
  endpointBehaviour: 0x22,
  publisherId: 0x23,
  maxRedelivery: 0x2a,
  endpointId: 0x2c,
  maxUnacked: 0x31,
  spoolerId: 0x36,
} as const;

/** In {@link AssuredParam.endpointBehaviour}: messages say how often they were delivered. */
export const deliveryCountEnabled = 0x08;

export const AccessType = { exclusive: 1, nonExclusive: 2 } as const;

/** In {@link AssuredParam.applicationAck}. */
export const AckOutcome = { accepted: 0, failed: 1, rejected: 3 } as const;

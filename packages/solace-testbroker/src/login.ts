import type { Connection } from "./connection.ts";
import type { Refusal } from "./faults.ts";
import { readText, u8, u32, zeroTerminated } from "./smf/bytes.ts";
import {
  type ClientControl,
  decodeClientControl,
  encodeClientControl,
  encodeClientParam,
} from "./smf/client-control.ts";
import { extendedTextOf } from "./smf/extended.ts";
import { type Frame, paramOf } from "./smf/frame.ts";
import { ExtendedParam, HeaderParam, LoginParam } from "./smf/protocol.ts";

const loginType = 0;
const software = "solace-testbroker";

/** Values beside the bit map, by number: port speed, port type, largest guaranteed and direct message. */
const capabilityValues: readonly (readonly [number, Buffer])[] = [
  [0, u32(1_000)],
  [1, u8(0)],
  [2, u32(30_000_000)],
  [3, u32(64_000_000)],
];

/** Bits of 27 capabilities: everything that the double offers, and negative acknowledgements with the bit that follows. */
const capabilityBits = [0xbf, 0xff, 0xff, 0xa0] as const;
const nackBit = 0x40;

/** Logs a client in, or answers its later updates. @throws {MalformedFrame} */
export function login(connection: Connection, frame: Frame): void {
  const control = decodeClientControl(frame.body);
  if (control.type !== loginType) {
    connection.answer(frame, encodeClientControl(control.type, []));
    return;
  }
  const { broker } = connection;
  const clientName = textOf(control, LoginParam.clientName) || "client";
  const userName = decoded(paramOf(frame, HeaderParam.userName));
  const accessToken = extendedTextOf(frame, ExtendedParam.accessToken) ?? "";
  const verdict =
    broker.faults.login?.({ clientName, userName, accessToken }) ??
    refusalOf(connection, frame, control);
  if (verdict === "no answer") return;
  if (verdict !== undefined) {
    broker.log(`${clientName}: login refused: ${verdict.code} ${verdict.text}`);
    connection.answer(frame, encodeClientControl(loginType, []), verdict.code, verdict.text);
    return;
  }
  connection.clientName = clientName;
  broker.log(`${clientName}: connected`);
  connection.answer(frame, encodeClientControl(loginType, welcome(connection, control)));
}

function refusalOf(
  { broker }: Connection,
  frame: Frame,
  control: ClientControl,
): Refusal | undefined {
  const { credentials, vpn } = broker.settings;
  if (vpn !== undefined && textOf(control, LoginParam.vpnName) !== vpn) {
    return { code: 403, text: "Message VPN Not Allowed" };
  }
  if (credentials === undefined) return undefined;
  const userName = decoded(paramOf(frame, HeaderParam.userName));
  const password = decoded(paramOf(frame, HeaderParam.password));
  const right = userName === credentials.username && password === credentials.password;
  return right ? undefined : { code: 401, text: "Unauthorized" };
}

function welcome({ broker, clientName }: Connection, control: ClientControl): Buffer[] {
  const inboxName = clientName.replaceAll(/[^\w-]/g, "_");
  const text = (type: number, value: string) => encodeClientParam(type, zeroTerminated(value));
  return [
    text(LoginParam.softwareVersion, "0.1.0"),
    text(LoginParam.softwareDate, "2026/01/01"),
    text(LoginParam.platform, software),
    text(LoginParam.vpnName, textOf(control, LoginParam.vpnName) || "default"),
    text(LoginParam.virtualRouter, `v:${software}`),
    text(LoginParam.routerName, software),
    text(LoginParam.inbox, `#P2P/v:${software}/0/${inboxName}`),
    encodeClientParam(LoginParam.capabilities, capabilities(broker.settings.nacks)),
  ];
}

function capabilities(nacks: boolean): Buffer {
  const [a, b, c, d] = capabilityBits;
  const bits = Buffer.from([27, a, b, c, nacks ? d | nackBit : d]);
  const values = capabilityValues.map(([type, value]) => encodeClientParam(type, value));
  return Buffer.concat([bits, ...values]);
}

function textOf(control: ClientControl, type: number): string {
  const value = control.params.get(type);
  return value === undefined ? "" : readText(value);
}

/** User name and password travel in base64. */
function decoded(value: Buffer | undefined): string {
  return value === undefined ? "" : Buffer.from(readText(value), "base64").toString();
}

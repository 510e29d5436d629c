import { accessSync, constants } from "node:fs";
import { LabError } from "@lab/core";
import { invalidOption } from "@lab/core/adapter";
import type solace from "solclientjs";
import type { ConnectionSettings, SolaceDefaults } from "./options.ts";
import { SolclientError } from "./solclient.ts";

const inUse = new WeakSet<solace.Session>();

/** The user's own session, checked, and not connected. @throws {LabError} `INVALID_OPTION` */
export async function makeSession(
  { connect, connectTimeout }: ConnectionSettings,
  publisherProperties: solace.MessagePublisherProperties,
): Promise<solace.Session> {
  const defaults: SolaceDefaults = {
    connectTimeoutInMsecs: connectTimeout,
    connectRetries: 0,
    reconnectRetries: 0,
    publisherProperties,
  };
  let session: solace.Session;
  try {
    session = await connect(defaults);
  } catch (thrown) {
    throw unusable(thrown, hintOf(thrown));
  }
  if (typeof session?.createMessageConsumer !== "function" || inUse.has(session)) {
    const got = inUse.has(session) ? "a session that is in use" : session;
    const todo = "Call solace.SolclientFactory.createSession in it, each time.";
    const expected = "a function that returns a new session";
    throw invalidOption("connect", got, expected, todo);
  }
  inUse.add(session);
  return session;
}

/** Without them the client fails too, but leaves a socket behind that nobody listens to: an error of it ends the process. */
export function requireFiles(properties: solace.SessionProperties): void {
  const { sslTrustStores = [], sslCertificate, sslPrivateKey, sslPfx } = properties;
  const files = { sslTrustStores, sslCertificate, sslPrivateKey, sslPfx };
  for (const [name, value] of Object.entries(files)) {
    for (const file of [value].flat()) {
      if (!file) continue; // The client's own default is an empty text.
      try {
        accessSync(file, constants.R_OK);
      } catch {
        throw invalidOption(name, file, "a file that can be read");
      }
    }
  }
}

/** `connect`, or the session that it made, threw. */
export function unusable(thrown: unknown, todo: string): LabError {
  if (thrown instanceof LabError) return thrown;
  const { message } = new SolclientError(thrown);
  return new LabError("INVALID_OPTION", `\`connect\` threw: ${message}. ${todo}`);
}

export function late(ms: number): LabError {
  return new LabError("INVALID_OPTION", `\`connect\` returned no session within ${ms} ms.`);
}

function hintOf(thrown: unknown): string {
  return /not initialized/.test(new SolclientError(thrown).message)
    ? "Call solace.SolclientFactory.init({ profile: solace.SolclientFactoryProfiles.version10_5 }) first."
    : "Correct what is given to createSession.";
}

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LabError } from "@lab/core";
import { findCommand, run } from "./command.ts";

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM. The certificate is signed by itself, so it is its own authority. */
  readonly ca: string;
}

const days = "30";

/**
 * The certificate of a server on 127.0.0.1 and localhost, made in `folder` unless one is there: a server that is started
 * again must be trusted still. Made by `openssl`, one command, rather than by a library of X.509 for one call.
 */
export async function certificateIn(folder: string): Promise<Certificate> {
  const certFile = join(folder, "server.crt");
  const keyFile = join(folder, "server.key");
  const read = () => readFile(certFile, "utf8");
  const existing = await read().catch(() => undefined);
  if (existing === undefined) await make(certFile, keyFile);
  return { certFile, keyFile, ca: existing ?? (await read()) };
}

async function make(certFile: string, keyFile: string): Promise<void> {
  const openssl = findCommand("openssl");
  if (openssl === undefined) {
    throw new LabError(
      "BROKER_START_FAILED",
      "`tls` needs the command `openssl` to make a certificate, and it is not on PATH. Install it: apt-get install openssl",
    );
  }
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost " +
    `-addext subjectAltName=IP:127.0.0.1,DNS:localhost -days ${days}`;
  await run(openssl, [...args.split(" "), "-keyout", keyFile, "-out", certFile], {
    timeout: 20_000,
  });
}

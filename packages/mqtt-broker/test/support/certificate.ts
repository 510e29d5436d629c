import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate of 127.0.0.1 and localhost, signed by itself; its files go with the tests of the file. */
export function certificate(): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), "mqtt-broker-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost " +
    "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -days 2 -keyout key.pem -out cert.pem";
  execFileSync("openssl", args.split(" "), { cwd: folder, stdio: "ignore" });
  const certFile = join(folder, "cert.pem");
  const keyFile = join(folder, "key.pem");
  return {
    certFile,
    keyFile,
    cert: readFileSync(certFile, "utf8"),
    key: readFileSync(keyFile, "utf8"),
  };
}

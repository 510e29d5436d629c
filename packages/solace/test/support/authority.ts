import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Without it there are no certificates to test with. */
export const withOpenssl: boolean = hasOpenssl();
if (!withOpenssl) console.warn("Skipped: TLS. There is no openssl to make certificates.");

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Authority {
  readonly caFile: string;
  readonly ca: Buffer;
  valid(name: string): Certificate;
  expired(name: string): Certificate;
}

const config = `
[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = policy
[policy]
commonName = supplied
[host]
subjectAltName = IP:127.0.0.1, DNS:localhost
`;

const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/** A certificate authority of its own, in a folder that goes with the test. */
export function authority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "solace-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => join(folder, name);
  const openssl = (line: string): void => {
    execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "ignore" });
  };
  writeFileSync(file("ca.conf"), config);
  writeFileSync(file("index.txt"), "");
  openssl(`req -x509 ${newKey} -subj /CN=authority -keyout ca.key -out ca.crt`);
  const issue = (name: string, dates: string): Certificate => {
    openssl(`req -new ${newKey} -subj /CN=${name} -keyout ${name}.key -out ${name}.csr`);
    const signer = "-config ca.conf -cert ca.crt -keyfile ca.key -extensions host";
    openssl(`ca -batch ${signer} -extfile ca.conf -in ${name}.csr -out ${name}.crt ${dates}`);
    const certFile = file(`${name}.crt`);
    const keyFile = file(`${name}.key`);
    return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
  };
  return {
    caFile: file("ca.crt"),
    ca: readFileSync(file("ca.crt")),
    valid: (name) => issue(name, "-days 2"),
    expired: (name) => issue(name, "-startdate 20200101000000Z -enddate 20200102000000Z"),
  };
}

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

import { pbkdf2Sync, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Credentials } from "../../broker.ts";
import { certificateIn } from "../../certificate.ts";
import { run } from "../../command.ts";
import type { NativeSetup, SaveOnSignal } from "../../kind.ts";

const database = "mosquitto.db";

/**
 * Mosquitto keeps sessions and queued messages in memory. Its own ways of saving often (`autosave_on_changes`) write the
 * whole of it at each change, which makes a backlog quadratic; so it is told to save just before a kill.
 */
export const save: SaveOnSignal = { signal: "SIGUSR1", file: database };

/** What deferred acknowledgements need: no limit of its own on messages in flight or queued. The same in `docker/`. */
export const tuning: readonly string[] = [
  "max_inflight_messages 0",
  "max_queued_messages 0",
  "set_tcp_nodelay true",
  "persistence true",
  "autosave_interval 0",
];

export const mosquitto: NativeSetup = {
  product: "mosquitto",
  command: "mosquitto",
  packages: ["mosquitto", "openssl"],
  note:
    "Debian's package may also start a system-wide mosquitto on port 1883. The test bed neither uses nor disturbs it: " +
    "each of its brokers has its own port and data folder.",
  listening: /mosquitto version \S+ running/,
  save,
  version: async (path) => {
    // `-h` is the only way to be told, and exits with 3 in some versions.
    const help = await run(path, ["-h"], { timeout: 5_000 }).catch((error: Error) => error.message);
    return /mosquitto version (\S+)/.exec(help)?.[1] ?? "unknown";
  },
  prepare: async (folder, port, options) => {
    const certificate = options.tls ? await certificateIn(folder) : undefined;
    const passwords = join(folder, "passwords");
    const lines = [
      `listener ${port} 127.0.0.1`,
      ...(certificate
        ? [`certfile ${certificate.certFile}`, `keyfile ${certificate.keyFile}`]
        : []),
      ...(options.credentials
        ? ["allow_anonymous false", `password_file ${passwords}`]
        : ["allow_anonymous true"]),
      // Started by root it would become the user `mosquitto`, who may not read a private folder.
      ...(process.getuid?.() === 0 ? ["user root"] : []),
      ...tuning,
      `persistence_location ${folder}/`,
      `persistence_file ${database}`,
      "log_dest stderr",
      "log_type error",
      "log_type warning",
      "log_type notice",
      "log_type information",
      ...(options.config ?? []),
    ];
    const conf = join(folder, "mosquitto.conf");
    if (options.credentials) await writePrivate(passwords, passwordLine(options.credentials));
    await writePrivate(conf, `${lines.join("\n")}\n`);
    return { args: ["-c", conf], ca: certificate?.ca };
  },
};

function writePrivate(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

const hashRounds = 101;

/** A line of a password file as `mosquitto_passwd` writes it: PBKDF2 with SHA-512. */
function passwordLine({ username, password }: Credentials): string {
  const salt = randomBytes(12);
  const hash = pbkdf2Sync(password, salt, hashRounds, 64, "sha512");
  return `${username}:$7$${hashRounds}$${salt.toString("base64")}$${hash.toString("base64")}\n`;
}

// A stand-in for the `docker` command, for tests of what the test bed asks of it: each "container" is a native mosquitto
// with the configuration file of the compose file. It is not docker, and shows nothing of docker's own behaviour.
// STAND_IN: folder for its state. MOSQUITTO: path of the server.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { STAND_IN = "", MOSQUITTO = "", MQTT_PORT = "" } = process.env;
const args = process.argv.slice(2);
appendFileSync(join(STAND_IN, "calls"), `${args.join(" ")}\n`);

const { values, positionals } = parseArgs({
  args,
  allowPositionals: true,
  strict: false,
  options: {
    project: { type: "string", short: "p" },
    file: { type: "string", short: "f" },
    profile: { type: "string" },
    signal: { type: "string" },
    timeout: { type: "string" },
    tail: { type: "string" },
  },
});
const [command, subcommand, , ...rest] = positionals;
const container = join(STAND_IN, values.project ?? "none");
const files = {
  data: join(container, "data"),
  pid: join(container, "pid"),
  log: join(container, "log"),
};

const pid = () => (existsSync(files.pid) ? Number(readFileSync(files.pid, "utf8")) : undefined);

function alive() {
  try {
    return pid() !== undefined && process.kill(pid(), 0);
  } catch {
    return false;
  }
}

async function up() {
  if (alive()) return;
  mkdirSync(files.data, { recursive: true });
  const conf = readFileSync(join(dirname(values.file), "mosquitto", "mosquitto.conf"), "utf8")
    .replace("listener 1883", `listener ${MQTT_PORT} 127.0.0.1`)
    .replace("/mosquitto/data/", `${files.data}/`);
  const user = process.getuid?.() === 0 ? "user root\n" : "";
  writeFileSync(join(container, "conf"), conf + user);
  const log = openSync(files.log, "a");
  const server = spawn(MOSQUITTO, ["-c", join(container, "conf")], {
    detached: true,
    stdio: ["ignore", log, log],
  });
  writeFileSync(files.pid, `${server.pid}`);
  server.unref();
  for (let attempt = 0; attempt < 200 && !(await listens()); attempt++) await sleep(20);
}

const listens = () =>
  new Promise((resolve) => {
    const socket = connect(Number(MQTT_PORT), "127.0.0.1", () => resolve(true));
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
  });

async function kill(signal) {
  if (!alive()) return;
  process.kill(pid(), signal);
  while (signal === "SIGKILL" && alive()) await sleep(5);
}

if (command === "version") console.log("0.0.0-stand-in");
else if (subcommand === "config") console.log("eclipse-mosquitto:0.0.0-stand-in");
else if (subcommand === "up") {
  if (process.env.STAND_IN_FAILS) {
    console.error("manifest unknown");
    process.exitCode = 1;
  } else await up();
} else if (subcommand === "kill") await kill(values.signal);
else if (subcommand === "logs") console.log("the container's log");
else if (subcommand === "exec") {
  const path = join(files.data, basename(rest.at(-1) ?? ""));
  if (existsSync(path)) console.log(statSync(path).ino, Math.floor(statSync(path).mtimeMs / 1000));
  else process.exitCode = 1;
} else if (subcommand === "down") {
  await kill("SIGKILL");
  rmSync(container, { recursive: true, force: true });
} else throw new Error(`The stand-in does not know: ${args.join(" ")}`);

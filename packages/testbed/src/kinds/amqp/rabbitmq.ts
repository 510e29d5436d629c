import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Credentials } from "../../broker.ts";
import { type Certificate, certificateIn } from "../../certificate.ts";
import { findCommand } from "../../command.ts";
import { freePort } from "../../free-port.ts";
import type { NativeSetup, SaveByCommand } from "../../kind.ts";

/** Debian's `/usr/sbin/rabbitmq-server` runs this as the user `rabbitmq`, who may not read a private folder. */
const debianServer = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** The same in `docker/`. */
const plugins = ["rabbitmq_management", "rabbitmq_consistent_hash_exchange"];

/**
 * RabbitMQ needs Erlang's port mapper and starts one that outlives it. Started here, before it, the mapper is a private one
 * in the server's process group, and ends with it.
 */
const start = `
  epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 >/dev/null 2>&1 &
  until epmd -port "$ERL_EPMD_PORT" -names >/dev/null 2>&1; do kill -0 $! || exit 1; sleep 0.02; done
  "$0"
  code=$?
  kill $!
  exit $code
`;

/**
 * RabbitMQ notes a new quorum queue in tables that it writes up to a second later. Killed before, it never answers again
 * what is asked of that queue. Messages are not touched by this.
 */
export const save: SaveByCommand = {
  admin: ["eval", "[dets:sync(Table) || Table <- dets:all()]."],
};

export const rabbitmq: NativeSetup = {
  product: "RabbitMQ",
  get command() {
    return findCommand(debianServer) ?? "rabbitmq-server";
  },
  packages: ["rabbitmq-server", "openssl"],
  note:
    "Debian's package also starts a system-wide RabbitMQ on port 5672 where services can be started; in a container it " +
    "usually is not. The test bed neither uses nor disturbs it: each of its brokers has ports, data, cookie and port " +
    "mapper of its own. To end the system's: systemctl disable --now rabbitmq-server",
  // `rabbitmqctl version` would leave a port mapper behind.
  version: async (path) =>
    /rabbitmq(?:_server-|\/)(\d[^/]*)/.exec(await realpath(path))?.[1] ?? "unknown",
  listening: /completed with \d+ plugins/,
  save,
  prepare: async (folder, port, options) => {
    const file = (name: string) => join(folder, name);
    const [management, distribution, portMapper] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
    ]);
    const certificate = options.tls ? await certificateIn(folder) : undefined;
    await mkdir(file("home"), { recursive: true });
    await writePrivate(file("enabled_plugins"), `[${plugins.join(",")}].\n`);
    await writePrivate(file("rabbitmq-env.conf"), "");
    await writePrivate(
      file("rabbitmq.conf"),
      [
        ...listeners(port, management, certificate),
        "log.console = true",
        "log.console.level = warning",
        "log.file = false",
        ...(options.config ?? []),
        "",
      ].join("\n"),
    );
    await writePrivate(file("advanced.config"), onlyUser(options.credentials));
    const command = rabbitmq.command;
    return {
      command: "/bin/sh",
      args: ["-c", start, findCommand(command) ?? command],
      env: {
        HOME: file("home"), // Of the cookie.
        ERL_EPMD_ADDRESS: "127.0.0.1",
        ERL_EPMD_PORT: `${portMapper}`,
        LANG: "C.UTF-8",
        RABBITMQ_ADVANCED_CONFIG_FILE: file("advanced.config"),
        RABBITMQ_CONFIG_FILE: file("rabbitmq.conf"),
        RABBITMQ_CONF_ENV_FILE: file("rabbitmq-env.conf"),
        RABBITMQ_DIST_PORT: `${distribution}`,
        RABBITMQ_ENABLED_PLUGINS_FILE: file("enabled_plugins"),
        RABBITMQ_GENERATED_CONFIG_DIR: file("schema"),
        RABBITMQ_LOG_BASE: file("log"),
        RABBITMQ_MNESIA_BASE: file("data"),
        RABBITMQ_NODENAME: "testbed@localhost",
        RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
        RABBITMQ_NODE_PORT: `${port}`,
        RABBITMQ_PID_FILE: file("pid"),
        RABBITMQ_SCHEMA_DIR: file("schema"),
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
        RUNNING_UNDER_SYSTEMD: "true", // Become the server instead of waiting for it.
      },
      ports: [management, distribution, portMapper],
      ca: certificate?.ca,
      admin: join(dirname(findCommand(command) ?? command), "rabbitmqctl"),
    };
  },
};

function listeners(port: number, management: number, certificate: Certificate | undefined) {
  return [
    ...(certificate
      ? [
          "listeners.tcp = none",
          `listeners.ssl.local = 127.0.0.1:${port}`,
          `ssl_options.certfile = ${certificate.certFile}`,
          `ssl_options.keyfile = ${certificate.keyFile}`,
        ]
      : [`listeners.tcp.local = 127.0.0.1:${port}`]),
    "management.tcp.ip = 127.0.0.1",
    `management.tcp.port = ${management}`,
  ];
}

/** Without one it is `guest`, with `guest`: what clients use when they are told nothing. As bytes, so that nothing needs quotes. */
function onlyUser(credentials: Credentials | undefined): string {
  if (credentials === undefined) return "[].\n";
  const { username, password } = credentials;
  return `[{rabbit, [{default_user, ${erlang(username)}}, {default_pass, ${erlang(password)}}]}].\n`;
}

function erlang(text: string): string {
  return `<<${[...Buffer.from(text)].join(",")}>>`;
}

function writePrivate(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}

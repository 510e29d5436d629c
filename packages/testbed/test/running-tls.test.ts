import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBroker } from "@lab/testbed";
import { expect, test } from "vitest";
import { privateFolder, withMosquitto } from "./support.ts";

const program = `
  const { startBroker } = await import(process.argv[1]);
  const { connectAsync } = await import("mqtt");
  const broker = await startBroker("mqtt");
  const client = await connectAsync(broker.url, { reconnectPeriod: 0 });
  client.on("error", () => undefined);
  await client.publishAsync("t", "x", { qos: 1 });
  const cut = new Promise((resolve) => client.once("close", resolve));
  await broker.cut();
  await cut;
  await broker.stop();
  console.log(JSON.stringify(broker));
`;

test.runIf(withMosquitto)(
  "a broker elsewhere that speaks TLS is reached through a proxy that speaks it in our place",
  async () => {
    const credentials = { username: "u", password: "p" };
    await using there = await startBroker("mqtt", { how: "native", tls: true, credentials });
    const ca = join(privateFolder(), "ca.pem");
    writeFileSync(ca, there.ca ?? "");
    const output = execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        program,
        fileURLToPath(new URL("../dist/index.js", import.meta.url)),
      ],
      {
        encoding: "utf8",
        cwd: fileURLToPath(new URL("..", import.meta.url)),
        env: { ...process.env, MQTT_URL: there.directUrl, NODE_EXTRA_CA_CERTS: ca },
      },
    );
    const broker = JSON.parse(output);
    expect(broker).toMatchObject({
      how: "running",
      product: "mosquitto",
      directUrl: there.directUrl,
    });
    expect(broker.url).toMatch(/^mqtt:\/\/u:p@127\.0\.0\.1:\d+$/);
  },
);

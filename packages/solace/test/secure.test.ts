import { describe, expect, test } from "vitest";
import { authority, withOpenssl } from "./support/authority.ts";
import { Inbox } from "./support/inbox.ts";
import {
  connectTo,
  eventually,
  fill,
  refusal,
  solace,
  started,
  subscribed,
  subscriberOf,
} from "./support/solace.ts";

describe.runIf(withOpenssl)("over TLS", () => {
  test("a broker whose certificate is trusted is consumed from, and comes back after a cut", async () => {
    const { valid, caFile } = authority();
    const { cert, key } = valid("server");
    const { broker } = await started({ tls: { cert, key } });
    broker.createQueue("q");
    const connect = connectTo(broker, { sslTrustStores: [caFile] });
    const { inbox } = await subscribed(broker, "q", { connect });
    broker.cut();
    await eventually("the connection to be back", () => inbox.connections === 2);
  });

  test.for([
    ["is not trusted", "valid", [], /self-signed|unable to (get|verify)|certificate/i],
    ["has expired", "expired", ["ca"], /expired/i],
  ] as const)(
    "one whose certificate %s is refused at once, with what to look at",
    async ([, kind, trusted, why]) => {
      const all = authority();
      const { cert, key } = all[kind]("server");
      const { broker } = await started({ tls: { cert, key } });
      const connect = connectTo(broker, trusted.length > 0 ? { sslTrustStores: [all.caFile] } : {});
      const subscribing = subscriberOf(broker, { connect }).subscribe(
        "q",
        { window: 1 },
        new Inbox(),
      );
      const error = await refusal(subscribing);
      expect(error).toMatchObject({ code: "BROKER_UNREACHABLE" });
      expect(error.message).toMatch(why);
      expect(error.message).toContain("certificates");
    },
  );

  test("a client's certificate is what lets it in", async () => {
    const { valid, ca, caFile } = authority();
    const { cert, key } = valid("server");
    const { broker } = await started({
      tls: { cert, key, ca, requestCert: true, rejectUnauthorized: true },
    });
    broker.createQueue("q");
    const client = valid("client");
    const properties = {
      authenticationScheme: solace.AuthenticationScheme.CLIENT_CERTIFICATE,
      sslTrustStores: [caFile],
      sslCertificate: client.certFile,
      sslPrivateKey: client.keyFile,
    };
    await subscribed(broker, "q", { connect: connectTo(broker, properties) });
    const without = connectTo(broker, { sslTrustStores: [caFile] });
    const error = await refusal(
      subscriberOf(broker, { connect: without }).subscribe("q", { window: 1 }, new Inbox()),
    );
    expect(error).toMatchObject({ code: "BROKER_UNREACHABLE" });
  });

  test("an OAuth token that has run out is replaced by the one that `connect` fetches next", async () => {
    const { valid, caFile } = authority();
    const { cert, key } = valid("server");
    const { broker } = await started({ tls: { cert, key } });
    broker.createQueue("q");
    const seen: string[] = [];
    let good = "token-1";
    broker.faults.login = ({ accessToken }) => {
      seen.push(accessToken);
      return accessToken === good ? undefined : { code: 401, text: "Unauthorized" };
    };
    const { inbox } = await subscribed(broker, "q", {
      connect: async (defaults) =>
        connectTo(broker, {
          authenticationScheme: solace.AuthenticationScheme.OAUTH2,
          accessToken: good,
          sslTrustStores: [caFile],
        })(defaults),
    });
    good = "token-2";
    broker.cut();
    await eventually("the connection to be back", () => inbox.connections === 2);
    expect(seen.at(0)).toBe("token-1");
    expect(seen.at(-1)).toBe("token-2");
    expect(inbox.failures).toEqual([]);
    broker.faults.login = undefined;
  });
});

test("basic credentials are passed on", async () => {
  const credentials = { username: "user", password: "password" };
  const { broker } = await started({ credentials, vpn: "default" });
  broker.createQueue("q");
  await fill(broker, "q", 1);
  const { inbox } = await subscribed(broker, "q");
  await eventually("delivery", () => inbox.deliveries.length === 1);
});

const none = "/no/such/file";
const withCertificate = {
  sslValidateCertificate: false,
  authenticationScheme: solace.AuthenticationScheme.CLIENT_CERTIFICATE,
};
test.for([
  ["sslTrustStores", { sslTrustStores: [none] }],
  ["sslCertificate", { ...withCertificate, sslCertificate: none, sslPrivateKey: none }],
  ["sslPfx", { ...withCertificate, sslPfx: none }],
] as const)(
  "a file in %s that cannot be read is told before a socket is opened that nobody would listen to",
  async ([name, properties]) => {
    const { broker, log } = await started();
    await broker.stop(); // Or its refusal to connect would end the process.
    const url = broker.url.replace("tcp:", "tcps:");
    const connect = connectTo({ url }, properties);
    const error = await refusal(
      subscriberOf(broker, { connect }).subscribe("q", { window: 1 }, new Inbox()),
    );
    expect(error).toMatchObject({ code: "INVALID_OPTION" });
    expect(error.message).toContain(`\`${name}\` to be a file that can be read, got "${none}"`);
    expect(log).toEqual([]);
  },
);

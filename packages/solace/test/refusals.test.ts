import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { LabError } from "@lab/core";
import type { SolaceConnect } from "@lab/solace";
import type { SolaceTestBroker } from "@lab/solace-testbroker";
import { describe, expect, onTestFinished, test } from "vitest";
import { Inbox } from "./support/inbox.ts";
import {
  connectTo,
  eventually,
  refusal,
  type solace,
  started,
  subscriberOf,
} from "./support/solace.ts";

/** Far longer than a refusal takes, and than the machine may dawdle: who waits for it would not be told fast. */
const fast = 5_000;

async function refusedBy(
  broker: Pick<SolaceTestBroker, "url">,
  options: Parameters<typeof subscriberOf>[1] = {},
  source = "q",
): Promise<LabError> {
  const inbox = new Inbox();
  const since = performance.now();
  const error = await refusal(
    subscriberOf(broker, options).subscribe(source, { window: 1 }, inbox),
  );
  expect(performance.now() - since).toBeLessThan(fast);
  expect(error).toBeInstanceOf(LabError);
  expect(inbox.states).not.toContain("connected");
  expect(inbox.failures).toEqual([]);
  expect(inbox.endedSessions).toEqual([]);
  return error as LabError;
}

describe("at the start, a login that is refused", () => {
  test.for([
    [401, "Unauthorized", "ACCESS_REFUSED", /user name, the password/],
    [403, "Message VPN Not Allowed", "ACCESS_REFUSED", /vpnName/],
    [503, "Message VPN Unavailable", "BROKER_UNREACHABLE", /runs/],
    [403, "Client Username Is Shutdown", "ACCESS_REFUSED", /enabled/],
    [403, "Forbidden", "ACCESS_REFUSED", /ACL profile/],
    [503, "Too Many Clients", "ACCESS_REFUSED", /as many connections/],
    [403, "Client Name Already In Use", "ACCESS_REFUSED", /clientName/],
    [400, "Client Name Parse Error", "INVALID_OPTION", /clientName/],
    [403, "Basic Authentication is Shutdown", "ACCESS_REFUSED", /authenticationScheme/],
    [503, "Subscriber Delete In Progress", "BROKER_UNREACHABLE", /Subscriber Delete/],
    [418, "Something New", "ACCESS_REFUSED", /Something New \(418\)/],
  ] as const)("with %i %s is told with %s", async ([code, text, expected, todo]) => {
    const { broker } = await started();
    broker.faults.login = () => ({ code, text });
    const error = await refusedBy(broker);
    expect(error.code).toBe(expected);
    expect(error.message).toContain(text);
    expect(error.message).toMatch(todo);
  });

  test("is not answered for longer than was allowed", async () => {
    const { broker } = await started();
    broker.faults.login = () => "no answer";
    const error = await refusedBy(broker, { connectTimeout: 200 });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });

  test("never shows the password", async () => {
    const { broker } = await started({ credentials: { username: "user", password: "right" } });
    const connect = connectTo(broker, { password: "s3cret" });
    const error = await refusedBy(broker, { connect });
    expect(error.code).toBe("ACCESS_REFUSED");
    expect(`${error.stack} ${JSON.stringify(error.cause)}`).not.toContain("s3cret");
  });
});

describe("at the start, a bind that is refused", () => {
  test.for([
    [503, "Unknown Queue", "SOURCE_MISSING", /Create it/],
    [503, "Queue Shutdown", "ACCESS_REFUSED", /egress/],
    [403, "Permission Not Allowed", "ACCESS_REFUSED", /consume/],
    [503, "Max clients exceeded for Queue", "ACCESS_REFUSED", /max-bind-count/],
    [400, "Already Bound", "ACCESS_REFUSED", /exclusive/],
    [503, "Spool Over Quota", "BROKER_UNREACHABLE", /Spool Over Quota/],
    [503, "Service Unavailable", "BROKER_UNREACHABLE", /Service Unavailable/],
    [507, "Ad Not Ready", "BROKER_UNREACHABLE", /Ad Not Ready/],
    [400, "Endpoint Property Mismatch", "INVALID_OPTION", /provision/],
  ] as const)("with %i %s is told with %s", async ([code, text, expected, todo]) => {
    const { broker } = await started();
    broker.createQueue("q");
    broker.faults.bind = () => ({ code, text });
    const error = await refusedBy(broker);
    expect(error.code).toBe(expected);
    expect(error.message).toContain(`Cannot consume "q": ${text}`);
    expect(error.message).toMatch(todo);
  });

  test("is not answered for longer than was allowed", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    broker.faults.bind = () => "no answer";
    const error = await refusedBy(broker, { connectTimeout: 200 });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });

  test("for a topic endpoint names it too", async () => {
    const { broker } = await started();
    const error = await refusedBy(broker, { topic: "orders/>" }, "te");
    expect(error.code).toBe("SOURCE_MISSING");
    expect(error.message).toContain('"te"');
  });
});

test("a broker without negative acknowledgements is told at the start, and what to do", async () => {
  const { broker } = await started({ nacks: false });
  broker.createQueue("q");
  const error = await refusedBy(broker);
  expect(error.code).toBe("INVALID_OPTION");
  expect(error.message).toMatch(/Expected `nacks` to be false, got true/);
});

describe("a broker that cannot be reached", () => {
  test.for([
    ["tcp://127.0.0.1:1", /ECONNREFUSED/],
    ["tcp://no-such-host.invalid:55555", /DNS|resol/i],
    [["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"], /ECONNREFUSED/],
  ] as const)("at %s is told at once", async ([url, why]) => {
    const { broker } = await started();
    const error = await refusedBy(broker, { connect: connectTo(broker, { url }) });
    expect(error.code).toBe("BROKER_UNREACHABLE");
    expect(error.message).toMatch(why);
  });

  test("is looked for at every host", async () => {
    const { broker } = await started();
    broker.createQueue("q");
    const connect = connectTo(broker, { url: ["tcp://127.0.0.1:1", broker.url] });
    const inbox = new Inbox();
    const subscription = await subscriberOf(broker, { connect }).subscribe(
      "q",
      { window: 1 },
      inbox,
    );
    await subscription.close();
  });

  test("as it speaks something else is told in time", async () => {
    const server = createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const error = await refusedBy({ url }, { connectTimeout: 500 });
    expect(error.code).toBe("BROKER_UNREACHABLE");
  });
});

describe("a connect function that", () => {
  const wrong: readonly (readonly [string, (broker: SolaceTestBroker) => SolaceConnect, RegExp])[] =
    [
      [
        "throws what the client says",
        (broker) => connectTo(broker, { url: "nonsense" }),
        /`connect` threw: .*'url'.*Correct what is given to createSession/s,
      ],
      [
        "returns nothing",
        () => (() => undefined) as unknown as SolaceConnect,
        /a new session, got undefined/,
      ],
      [
        "rejects",
        () => async () => Promise.reject(new Error("no token")),
        /`connect` threw: no token/,
      ],
      ["never returns", () => () => new Promise(() => {}), /no session within 200 ms/],
      [
        "has connected the session",
        (broker) => (defaults) => {
          const session = connectTo(broker)(defaults) as solace.Session;
          session.connect();
          return session;
        },
        /just made/,
      ],
    ];
  test.for(wrong)("%s is told", async ([, connect, message]) => {
    const { broker } = await started();
    broker.createQueue("q");
    const error = await refusedBy(broker, { connect: connect(broker), connectTimeout: 200 });
    expect(error.code).toBe("INVALID_OPTION");
    expect(error.message).toMatch(message);
  });

  test("returns the session of another subscription is told", async () => {
    const { broker } = await started();
    broker.createQueue("q", { access: "non-exclusive" });
    let made: solace.Session | undefined;
    const connect: SolaceConnect = async (defaults) => {
      made ??= await connectTo(broker)(defaults);
      return made;
    };
    const first = await subscriberOf(broker, { connect }).subscribe(
      "q",
      { window: 1 },
      new Inbox(),
    );
    const error = await refusal(
      subscriberOf(broker, { connect }).subscribe("q", { window: 1 }, new Inbox()),
    );
    expect(error.message).toMatch(/a session that is in use/);
    await first.close();
  });
});

test("a refused subscription leaves nothing at the broker", async () => {
  const { broker, log } = await started();
  await refusedBy(broker);
  expect(log.filter((line) => line.endsWith(": connected"))).toHaveLength(1);
  await eventually("its end", () => log.some((line) => line.endsWith(": disconnected")));
});

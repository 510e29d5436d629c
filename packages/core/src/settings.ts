import type { Backoff } from "./backoff.ts";
import { type Clock, systemClock } from "./clock.ts";
import { invalidOption, type LabError } from "./errors.ts";
import type {
  ConsumeOptions,
  DeadLetterOptions,
  Dispatch,
  DrainOptions,
  OnFailure,
  RetryOptions,
} from "./options.ts";
import { deserializeOf, expectedDeserializer, isDeserializer, json } from "./payload.ts";
import type { Deserialize, Handler, KeySelector, Message, Subscriber } from "./ports.ts";

/** When and how often an attempt is made again, every value set. */
export interface RetrySettings extends Backoff {
  readonly attempts: number;
  readonly retryable: (error: LabError, attempt: number) => boolean;
}

/** `ConsumeOptions`, checked, every default filled in. */
export interface Settings<T> {
  readonly subscriber: Subscriber;
  readonly source: string;
  readonly handler: Handler<T>;
  readonly key: KeySelector;
  readonly deserialize: Deserialize<T> | undefined;
  readonly window: number;
  readonly lanes: number;
  readonly dispatch: Dispatch;
  readonly retry: RetrySettings;
  readonly deadLetter: DeadLetterOptions | undefined;
  readonly onFailure: OnFailure;
  readonly handlerTimeout: number | undefined;
  readonly drainTimeout: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Node fires a timer at once when its delay does not fit 31 bits. */
const longestTimer = 2 ** 31 - 1;

/** Each has some memory of its own, at work or not. */
const mostLanes = 65_536;

const known: Record<keyof ConsumeOptions<unknown>, true> = {
  subscriber: true,
  source: true,
  handler: true,
  key: true,
  deserialize: true,
  window: true,
  lanes: true,
  dispatch: true,
  retry: true,
  deadLetter: true,
  onFailure: true,
  handlerTimeout: true,
  drainTimeout: true,
  signal: true,
  clock: true,
};

const retryOptions: Record<keyof RetryOptions, true> = {
  attempts: true,
  base: true,
  factor: true,
  cap: true,
  jitter: true,
  retryable: true,
};

/** @throws {LabError} `INVALID_OPTION` for the first option that cannot work, alone or together with another */
export function settingsOf<T>(options: ConsumeOptions<T>): Settings<T> {
  only("options", options, known);
  const {
    subscriber,
    source,
    handler,
    deserialize,
    deadLetter,
    signal,
    clock = systemClock,
  } = options;
  const { key = (message: Message) => message.key, dispatch = "keyed" } = options;
  check(
    typeof subscriber?.subscribe === "function" && typeof subscriber.capabilities === "object",
    "subscriber",
    subscriber,
    "a Subscriber",
    "Make one with an adapter's package.",
  );
  check(typeof source === "string" && source !== "", "source", source, "a non-empty string");
  check(typeof handler === "function", "handler", handler, "a function");
  check(typeof key === "function", "key", key, "a function from a message to its key");
  check(
    deserialize === undefined || isDeserializer(deserialize),
    "deserialize",
    deserialize,
    expectedDeserializer,
    "Pass a schema as `json(schema)` or `validated(deserializer, schema)`.",
  );
  check(
    !Object.is(deserialize, json),
    "deserialize",
    deserialize,
    "what `json` returns",
    "Call it: `json()` or `json(schema)`.",
  );
  check(signal === undefined || signal instanceof AbortSignal, "signal", signal, "an AbortSignal");
  check(
    typeof clock?.now === "function" &&
      typeof clock.setTimeout === "function" &&
      typeof clock.clearTimeout === "function",
    "clock",
    clock,
    "a Clock",
  );
  choice("dispatch", dispatch, ["keyed", "hashed", "inline"]);
  const { lanes = dispatch === "inline" ? 1 : 32 } = options;
  check(
    Number.isInteger(lanes) && lanes >= 1 && lanes <= mostLanes,
    "lanes",
    lanes,
    `an integer from 1 to ${mostLanes}`,
  );
  check(
    dispatch !== "inline" || lanes === 1,
    "lanes",
    lanes,
    'absent or 1 with `dispatch: "inline"`',
    'Use "keyed" to run several.',
  );
  const { window = Math.max(64, 4 * lanes) } = options;
  integer("window", window, 1);
  const { handlerTimeout, drainTimeout = 30_000 } = options;
  if (handlerTimeout !== undefined) range("handlerTimeout", handlerTimeout, 1, longestTimer, "ms");
  range("drainTimeout", drainTimeout, 0, longestTimer, "ms");
  return {
    subscriber,
    source,
    handler,
    key,
    deserialize: deserialize && deserializeOf(deserialize),
    window,
    lanes,
    dispatch,
    retry: retrySettings(options.retry),
    deadLetter,
    onFailure: onFailureOf(options),
    handlerTimeout,
    drainTimeout,
    signal,
    clock,
  };
}

/** @throws {LabError} `INVALID_OPTION` */
export function drainTimeoutOf(options: DrainOptions, otherwise: number): number {
  only("options", options, { timeout: true });
  const { timeout = otherwise } = options;
  range("timeout", timeout, 0, longestTimer, "ms");
  return timeout;
}

function retrySettings(retry: RetryOptions = {}): RetrySettings {
  only("retry", retry, retryOptions);
  const { attempts = 5, base = 100, factor = 2, cap = 30_000, jitter = 0.5 } = retry;
  const { retryable = worthRetrying } = retry;
  integer("retry.attempts", attempts, 1, "1 means no retry.");
  range("retry.base", base, 0, longestTimer, "ms");
  range("retry.factor", factor, 1, Number.MAX_SAFE_INTEGER);
  range("retry.cap", cap, base, longestTimer, "ms, not below `retry.base`");
  range("retry.jitter", jitter, 0, 1);
  check(typeof retryable === "function", "retry.retryable", retryable, "a function");
  return { attempts, base, factor, cap, jitter, retryable };
}

/** What fails before the handler fails the same way again. */
function worthRetrying({ code }: LabError): boolean {
  return code !== "DECODE_FAILED" && code !== "KEY_SELECTOR_FAILED";
}

function onFailureOf({
  deadLetter,
  onFailure,
  subscriber,
}: Pick<ConsumeOptions<unknown>, "deadLetter" | "onFailure" | "subscriber">): OnFailure {
  const chosen = onFailure ?? (deadLetter === undefined ? "stop" : "dead-letter");
  choice("onFailure", chosen, ["dead-letter", "reject", "halt", "stop"]);
  if (deadLetter !== undefined) {
    only("deadLetter", deadLetter, { publisher: true, destination: true });
    const { publisher, destination } = deadLetter;
    check(
      typeof publisher?.publish === "function" && typeof publisher.capabilities === "object",
      "deadLetter.publisher",
      publisher,
      "a Publisher",
      "A message is dead-lettered by publishing it: pass a publisher of an adapter's package.",
    );
    check(
      typeof destination === "function" || (typeof destination === "string" && destination !== ""),
      "deadLetter.destination",
      destination,
      "a non-empty string or a function",
    );
    const todo = "Leave out one of the two: they contradict each other.";
    check(chosen === "dead-letter", "onFailure", chosen, '"dead-letter" with `deadLetter`', todo);
  }
  const todo = "Pass `deadLetter: { publisher, destination }`.";
  check(
    chosen !== "dead-letter" || deadLetter !== undefined,
    "deadLetter",
    deadLetter,
    'given with `onFailure: "dead-letter"`',
    todo,
  );
  check(
    chosen !== "reject" || subscriber.capabilities.reject,
    "onFailure",
    chosen,
    "something this subscriber can do",
    'Its broker cannot reject: use "dead-letter", "halt" or "stop".',
  );
  return chosen;
}

function check(holds: boolean, name: string, got: unknown, expected: string, todo = ""): void {
  if (!holds) throw invalidOption(name, got, expected, todo);
}

function choice(name: string, got: string, choices: readonly string[]): void {
  const expected = `one of ${choices.map((one) => `"${one}"`).join(", ")}`;
  check(choices.includes(got), name, got, expected);
}

function integer(name: string, got: number, least: number, todo = ""): void {
  check(Number.isSafeInteger(got) && got >= least, name, got, `an integer ≥ ${least}`, todo);
}

function range(name: string, got: number, least: number, most: number, unit = ""): void {
  const inside = typeof got === "number" && got >= least && got <= most;
  check(inside, name, got, `a number from ${least} to ${most}${unit === "" ? "" : ` ${unit}`}`);
}

/** Refuses names that do not exist: a misspelt option must not be ignored. */
function only(name: string, got: object, known: object): void {
  check(typeof got === "object" && got !== null, name, got, "an object");
  for (const option of Object.keys(got)) {
    const names = Object.keys(known).join(", ");
    check(
      Object.hasOwn(known, option),
      `${name}.${option}`,
      Reflect.get(got, option),
      "absent",
      `Known: ${names}.`,
    );
  }
}

import type { Scenario } from "../scenario.ts";
import { declared } from "./declared.ts";
import { backlog } from "./delivery/backlog.ts";
import { deliveryCount, noDeliveryCount } from "./delivery/delivery-count.ts";
import { live } from "./delivery/live.ts";
import { nack, nackRefused, reject, rejectRefused } from "./delivery/nack.ts";
import { redelivered } from "./delivery/redelivered.ts";
import { resubscribe } from "./delivery/resubscribe.ts";
import { settleOnce } from "./delivery/settle-once.ts";
import { settleOutOfOrder } from "./delivery/settle-order.ts";
import { settledStaySettled, unsettledComeAgain } from "./delivery/unsettled.ts";
import { abortAfter, abortBefore, abortDuring } from "./endings/abort.ts";
import { drainInTime, drainPastTime } from "./endings/drain.ts";
import { nothingKeptAlive } from "./endings/process.ts";
import { stop } from "./endings/stop.ts";
import { stopDeliveries } from "./endings/stop-deliveries.ts";
import { deadLetter } from "./failures/dead-letter.ts";
import { failingHandler } from "./failures/failing-handler.ts";
import { halt } from "./failures/halt.ts";
import { keySelector } from "./failures/key-selector.ts";
import {
  rejectOnFailure,
  rejectOnFailureRefused,
  stopOnFailure,
} from "./failures/stop-on-failure.ts";
import { asyncDecoding, undecodable } from "./failures/undecodable.ts";
import { cutEndsSession, cutResumes } from "./faults/cut-in-hand.ts";
import { cutUnderLoad } from "./faults/cut-under-load.ts";
import { keepAlive } from "./faults/keep-alive.ts";
import { closeWhileCut, lateSettle } from "./faults/late-settle.ts";
import { brokerRestart } from "./faults/restart.ts";
import { sourceDeleted } from "./faults/source-deleted.ts";
import { everyLane, fewerLanesThanWindow, moreLanesThanWindow } from "./flow/lanes.ts";
import { retryFreesLane, slowKey } from "./flow/slow-key.ts";
import { unordered } from "./flow/unordered.ts";
import { windowHeld } from "./flow/window.ts";
import { windowOfOne } from "./flow/window-of-one.ts";
import { handover, twoConsumers } from "./members/competing.ts";
import { bodies, megabyteBody } from "./messages/bodies.ts";
import { headers, headersRefused } from "./messages/headers.ts";
import { keys, keysRefused } from "./messages/keys.ts";
import { orderUnderDeadLetters } from "./order/dead-letters.ts";
import { hashedOrder, inlineOrder, keyedOrder } from "./order/random-delays.ts";
import { orderUnderRetries } from "./order/retries.ts";
import { publishAcrossCut } from "./publishing/across-cut.ts";
import { brokerAway } from "./publishing/broker-away.ts";
import { confirmed, confirmedSurvives, confirmsBeforeClose } from "./publishing/confirmed.ts";
import { allRefused, partlyRefused } from "./publishing/refused.ts";
import { missingSource, unreachable, wrongCredentials } from "./refusals/subscribe.ts";

/** Every scenario, by theme, in the order in which they run. */
export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  capabilities: [declared],
  delivery: [
    backlog,
    live,
    resubscribe,
    unsettledComeAgain,
    settledStaySettled,
    settleOutOfOrder,
    settleOnce,
    nack,
    nackRefused,
    reject,
    rejectRefused,
    deliveryCount,
    noDeliveryCount,
    redelivered,
  ],
  flow: [
    windowHeld,
    windowOfOne,
    fewerLanesThanWindow,
    moreLanesThanWindow,
    everyLane,
    unordered,
    slowKey,
    retryFreesLane,
  ],
  order: [keyedOrder, hashedOrder, inlineOrder, orderUnderRetries, orderUnderDeadLetters],
  failures: [
    deadLetter,
    undecodable,
    asyncDecoding,
    failingHandler,
    keySelector,
    halt,
    stopOnFailure,
    rejectOnFailure,
    rejectOnFailureRefused,
  ],
  faults: [
    cutEndsSession,
    cutResumes,
    cutUnderLoad,
    lateSettle,
    closeWhileCut,
    brokerRestart,
    keepAlive,
    sourceDeleted,
  ],
  members: [twoConsumers, handover],
  messages: [bodies, megabyteBody, keys, keysRefused, headers, headersRefused],
  publishing: [
    confirmed,
    confirmsBeforeClose,
    confirmedSurvives,
    allRefused,
    partlyRefused,
    publishAcrossCut,
    brokerAway,
  ],
  refusals: [missingSource, wrongCredentials, unreachable],
  endings: [
    stop,
    drainInTime,
    drainPastTime,
    abortBefore,
    abortDuring,
    abortAfter,
    stopDeliveries,
    nothingKeptAlive,
  ],
};

import { availability } from "@lab/testbed";

const { use } = await availability("kafka", { how: "native" });

/** Without it the tests that need it are skipped, unless every broker is required. */
export const withKafka: boolean = use !== undefined || process.env.LAB_REQUIRE_BROKERS === "1";

if (!withKafka) {
  console.warn(
    "Skipped: tests on Apache Kafka, which is not installed: npm run brokers -- install",
  );
}

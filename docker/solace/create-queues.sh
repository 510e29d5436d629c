#!/bin/sh
# Creates queues on a Solace broker over SEMP v2: what a client cannot ask for, partitions above all.
#
#   docker/solace/create-queues.sh orders another-queue
#
# For each name: a non-exclusive queue that subscribes to "<name>/>", and its dead message queue "<name>-dmq". What is there
# already is left as it is. Settings, from the environment:
set -eu

SEMP_URL="${SEMP_URL:-http://127.0.0.1:8080}" # where the broker is administered
SEMP_USER="${SEMP_USER:-admin}"
SEMP_PASSWORD="${SEMP_PASSWORD:-admin}"
SOLACE_VPN="${SOLACE_VPN:-default}"
PARTITIONS="${PARTITIONS:-0}"                 # 0: not partitioned; several members then lose the order of keys
MAX_UNACKED="${MAX_UNACKED:-10000}"           # a consumer's unacknowledged messages: at least window + read-ahead
MAX_REDELIVERY="${MAX_REDELIVERY:-0}"         # 0: for ever; beyond it a message goes to the dead message queue
DELIVERY_COUNT="${DELIVERY_COUNT:-false}"     # not every broker offers it

if [ $# -eq 0 ]; then
  echo "usage: $0 queue..." >&2
  exit 2
fi

# create PATH BODY: fails unless it was created, or is there.
create() {
  answer=$(curl --silent --show-error --user "$SEMP_USER:$SEMP_PASSWORD" \
    --header 'Content-Type: application/json' --data "$2" \
    "$SEMP_URL/SEMP/v2/config/msgVpns/$SOLACE_VPN/$1")
  case "$answer" in
    *'"responseCode":200'*) echo "created $1" ;;
    *ALREADY_EXISTS*) echo "$1 is there already" ;;
    *)
      echo "$1: $answer" >&2
      return 1
      ;;
  esac
}

for queue in "$@"; do
  create queues "{
    \"queueName\": \"$queue-dmq\",
    \"permission\": \"consume\",
    \"ingressEnabled\": true,
    \"egressEnabled\": true
  }"
  create queues "{
    \"queueName\": \"$queue\",
    \"accessType\": \"non-exclusive\",
    \"permission\": \"consume\",
    \"partitionCount\": $PARTITIONS,
    \"maxDeliveredUnackedMsgsPerFlow\": $MAX_UNACKED,
    \"maxRedeliveryCount\": $MAX_REDELIVERY,
    \"deliveryCountEnabled\": $DELIVERY_COUNT,
    \"deadMsgQueue\": \"$queue-dmq\",
    \"ingressEnabled\": true,
    \"egressEnabled\": true
  }"
  create "queues/$queue/subscriptions" "{\"subscriptionTopic\": \"$queue/>\"}"
done

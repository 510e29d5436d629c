"""Scenarios for Paho, run by paho.test.ts: `paho_scenarios.py HOST PORT TLS_PORT WS_PORT CA_FILE`. Prints one line of JSON each."""

import functools
import json
import queue
import socket
import sys
import threading
import time
import traceback
import warnings

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

warnings.simplefilter("ignore")
HOST, PORT, TLS_PORT, WS_PORT, CA_FILE = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
LIMIT = 10
V4, V5 = mqtt.MQTTv311, mqtt.MQTTv5


def properties(kind, **values):
    made = Properties(kind)
    for name, value in values.items():
        setattr(made, name, value)
    return made


class Peer:
    """A client whose callbacks fill queues."""

    def __init__(self, name, version=V5, clean=True, port=PORT, connect=None, transport="tcp", will=None, keepalive=60,
                 tls=False, user=None, loop=True):
        self.version = version
        args = {"client_id": name, "protocol": version, "transport": transport}
        if version != V5:
            args["clean_session"] = clean
        api = getattr(mqtt, "CallbackAPIVersion", None)
        self.client = mqtt.Client(api.VERSION1, **args) if api else mqtt.Client(**args)
        self.messages, self.connects, self.granted, self.gone = (queue.Queue() for _ in range(4))
        self.acknowledged = {}
        self.client.on_message = lambda _c, _u, message: self.messages.put(message)
        self.client.on_publish = lambda _c, _u, mid: None
        if version == V5:
            self.client.on_connect = lambda _c, _u, flags, reason, props: self.connects.put((flags, reason, props))
            self.client.on_subscribe = lambda _c, _u, _mid, reasons, _p=None: self.granted.put(reasons)
            self.client.on_disconnect = lambda _c, _u, reason, *rest: self.gone.put(reason)
        else:
            self.client.on_connect = lambda _c, _u, flags, reason: self.connects.put((flags, reason, None))
            self.client.on_subscribe = lambda _c, _u, _mid, granted: self.granted.put(granted)
            self.client.on_disconnect = lambda _c, _u, reason: self.gone.put(reason)
        self.client.reconnect_delay_set(60, 60)
        if tls:
            self.client.tls_set(ca_certs=CA_FILE)
        if user:
            self.client.username_pw_set(*user)
        if will:
            self.client.will_set(**will)
        more = {"clean_start": clean, "properties": connect} if version == V5 else {}
        self.client.connect(HOST, port, keepalive=keepalive, **more)
        if loop:
            self.client.loop_start()
            self.flags, self.reason, self.connack = self.connects.get(timeout=LIMIT)

    def subscribe(self, filter, qos=0, options=None, props=None):
        if self.version == V5:
            self.client.subscribe(filter, options=options or SubscribeOptions(qos=qos), properties=props)
        else:
            self.client.subscribe(filter, qos)
        return [getattr(code, "value", code) for code in self.granted.get(timeout=LIMIT)]

    def publish(self, topic, payload, qos=0, retain=False, props=None):
        more = {"properties": props} if self.version == V5 else {}
        info = self.client.publish(topic, payload, qos, retain, **more)
        info.wait_for_publish(LIMIT)
        assert info.is_published(), "not acknowledged"

    def next(self, timeout=LIMIT):
        return self.messages.get(timeout=timeout)

    def nothing(self, seconds=0.3):
        time.sleep(seconds)
        assert self.messages.empty(), f"unexpected {self.messages.get().payload}"

    def leave(self, props=None):
        if self.version == V5:
            self.client.disconnect(properties=props)
        else:
            self.client.disconnect()
        self.client.loop_stop()

    def cut(self):
        """Ends the connection without DISCONNECT, for good."""
        self.client.on_disconnect = None
        self.client._thread_terminate = True
        self.client.socket().shutdown(socket.SHUT_RDWR)
        self.client.loop_stop()


def equal(got, expected):
    assert got == expected, f"expected {expected!r}, got {got!r}"


SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


def versions(check):
    @functools.wraps(check)
    def both(name):
        for version in (V4, V5):
            check(f"{name}-{version}", version)
    return both


@scenario
@versions
def qos(name, version):
    peer = Peer(name, version)
    for granted in (0, 1, 2):
        equal(peer.subscribe(f"{name}/{granted}/#", granted), [granted])
        for sent in (0, 1, 2):
            peer.publish(f"{name}/{granted}/{sent}", f"{sent}", sent)
            message = peer.next()
            equal((message.topic, message.payload, message.qos), (f"{name}/{granted}/{sent}", b"%d" % sent, min(sent, granted)))
    peer.nothing()
    peer.leave()


@scenario
@versions
def many_in_order(name, version):
    peer = Peer(name, version)
    peer.subscribe(name, 2)
    infos = [peer.client.publish(name, f"{i}", i % 3) for i in range(600)]
    for info in infos:
        info.wait_for_publish(LIMIT)
    got = [peer.next() for _ in infos]
    for level in (0, 1, 2):
        equal([int(m.payload) for m in got if m.qos == level], list(range(level, 600, 3)))
    peer.leave()


@scenario
@versions
def retained(name, version):
    peer = Peer(name, version)
    peer.publish(f"{name}/a", "old", 1, True)
    peer.publish(f"{name}/a", "kept", 1, True)
    peer.subscribe(f"{name}/+", 1)
    message = peer.next()
    equal((message.payload, message.retain), (b"kept", True))
    peer.publish(f"{name}/a", "", 1, True)
    equal(bool(peer.next().retain), False)
    other = Peer(f"{name}-2", version)
    other.subscribe(f"{name}/#")
    other.nothing()
    peer.leave()
    other.leave()


@scenario
def retain_options(name):
    peer = Peer(name)
    peer.publish(name, "kept", 1, True)
    never = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND, retainAsPublished=True)
    peer.subscribe(name, options=never)
    peer.nothing()
    peer.publish(name, "again", 1, True)
    equal(bool(peer.next().retain), True)
    peer.subscribe(name, options=SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_SEND_IF_NEW_SUB))
    peer.nothing()
    peer.subscribe(name, options=SubscribeOptions(qos=1))
    equal(peer.next().payload, b"again")
    peer.leave()


@scenario
@versions
def will(name, version):
    watching = Peer(f"{name}-w", version)
    watching.subscribe(f"{name}/will", 1)
    last = {"topic": f"{name}/will", "payload": "gone", "qos": 1}
    Peer(name, version, will=last).leave()
    watching.nothing()
    Peer(name, version, will=last).cut()
    equal(watching.next().payload, b"gone")
    watching.leave()


@scenario
def will_delay(name):
    watching = Peer(f"{name}-w")
    watching.subscribe(f"{name}/will", 1)
    delayed = {"topic": f"{name}/will", "payload": "gone", "qos": 1,
               "properties": properties(PacketTypes.WILLMESSAGE, WillDelayInterval=1, UserProperty=("a", "b"))}
    lasting = properties(PacketTypes.CONNECT, SessionExpiryInterval=60)
    Peer(name, will=delayed, connect=lasting).cut()
    again = Peer(name, clean=False, will=delayed, connect=lasting)
    watching.nothing(1.3)
    again.cut()
    watching.nothing(0.3)
    equal(watching.next().properties.UserProperty, [("a", "b")])
    watching.leave()


@scenario
@versions
def wildcards(name, version):
    peer = Peer(name, version)
    peer.subscribe(f"{name}/+/x", 1)
    peer.subscribe(f"{name}/deep/#", 1)
    for topic, comes in (("a/x", True), ("a/y", False), ("deep", True), ("deep/er/still", True), ("x", False)):
        peer.publish(f"{name}/{topic}", topic, 1)
        if comes:
            equal(peer.next().payload.decode(), topic)
    peer.nothing()
    peer.client.unsubscribe(f"{name}/deep/#")
    time.sleep(0.2)
    peer.publish(f"{name}/deep", "x", 1)
    peer.nothing()
    peer.leave()


@scenario
@versions
def shared(name, version):
    members = [Peer(f"{name}-{i}", version) for i in range(2)]
    for member in members:
        equal(member.subscribe(f"$share/g/{name}", 1), [1])
    for i in range(20):
        members[0].publish(name, f"{i}", 1)
    got = [[int(member.next().payload) for _ in range(10)] for member in members]
    equal(sorted(got[0] + got[1]), list(range(20)))
    equal([sorted(part) for part in got], got)
    for member in members:
        member.nothing()
        member.leave()


@scenario
@versions
def session(name, version):
    lasting = properties(PacketTypes.CONNECT, SessionExpiryInterval=60) if version == V5 else None
    first = Peer(name, version, clean=version == V5, connect=lasting)
    equal(first.flags["session present"], 0)
    first.subscribe(f"{name}/#", 2)
    first.cut()
    time.sleep(0.2)
    other = Peer(f"{name}-o", version)
    for i in range(30):
        other.publish(f"{name}/t", f"{i}", 1 + i % 2)
    again = Peer(name, version, clean=False, connect=lasting)
    equal(again.flags["session present"], 1)
    got = [again.next() for _ in range(30)]
    for level in (1, 2):  # Paho hands QoS 2 over when it is released.
        equal([int(m.payload) for m in got if m.qos == level], list(range(level - 1, 30, 2)))
    again.nothing()
    again.leave()
    ended = Peer(name, version, clean=True)
    equal(ended.flags["session present"], 0)
    ended.leave()
    other.leave()


@scenario
def session_expiry(name):
    lasting = properties(PacketTypes.CONNECT, SessionExpiryInterval=1)
    Peer(name, connect=lasting).cut()
    time.sleep(1.5)
    again = Peer(name, clean=False, connect=properties(PacketTypes.CONNECT, SessionExpiryInterval=60))
    equal(again.flags["session present"], 0)
    again.leave(properties(PacketTypes.DISCONNECT, SessionExpiryInterval=0))
    time.sleep(0.2)
    last = Peer(name, clean=False)
    equal(last.flags["session present"], 0)
    last.leave()


@scenario
def message_expiry(name):
    lasting = properties(PacketTypes.CONNECT, SessionExpiryInterval=60)
    first = Peer(name, connect=lasting)
    first.subscribe(name, 1)
    first.cut()
    time.sleep(0.2)
    other = Peer(f"{name}-o")
    other.publish(name, "short", 1, props=properties(PacketTypes.PUBLISH, MessageExpiryInterval=1))
    other.publish(name, "long", 1, props=properties(PacketTypes.PUBLISH, MessageExpiryInterval=60))
    time.sleep(1.3)
    again = Peer(name, clean=False, connect=lasting)
    message = again.next()
    equal(message.payload, b"long")
    assert 50 < message.properties.MessageExpiryInterval < 60
    again.nothing()
    again.leave()
    other.leave()


@scenario
def receive_maximum(name):
    peer = Peer(name, connect=properties(PacketTypes.CONNECT, ReceiveMaximum=2))
    peer.subscribe(name, 2)
    for i in range(50):
        peer.client.publish(name, f"{i}", 2)
    equal([int(peer.next().payload) for _ in range(50)], list(range(50)))
    equal(peer.connack.ReceiveMaximum, 8192)
    peer.leave()


@scenario
def topic_alias(name):
    peer = Peer(name)
    peer.subscribe(f"{name}/#", 1)
    equal(peer.connack.TopicAliasMaximum, 1024)
    peer.publish(f"{name}/a", "1", 1, props=properties(PacketTypes.PUBLISH, TopicAlias=7))
    peer.publish("", "2", 1, props=properties(PacketTypes.PUBLISH, TopicAlias=7))
    equal([peer.next().topic for _ in range(2)], [f"{name}/a"] * 2)
    peer.leave()


@scenario
def topic_alias_towards_client(name):
    # Paho leaves the alias to its user.
    peer = Peer(name, connect=properties(PacketTypes.CONNECT, TopicAliasMaximum=1))
    peer.subscribe(f"{name}/#", 1)
    for i in range(2):
        peer.publish(f"{name}/a", f"{i}", 1)
    first, second = peer.next(), peer.next()
    equal((first.topic, first.properties.TopicAlias), (f"{name}/a", 1))
    equal((second.topic, second.properties.TopicAlias), ("", 1))
    peer.leave()


@scenario
def maximum_packet_size(name):
    peer = Peer(name, connect=properties(PacketTypes.CONNECT, MaximumPacketSize=200))
    peer.subscribe(name, 1)
    peer.publish(name, "x" * 300, 1)
    peer.publish(name, "fits", 1)
    equal(peer.next().payload, b"fits")
    peer.client.publish(name, "x" * (16 * 1024 * 1024 + 1), 0)
    equal(reason_of(peer.gone.get(timeout=LIMIT)), 0x95)
    peer.client.loop_stop()


def reason_of(reason):
    return getattr(reason, "value", reason)


@scenario
def subscription_identifiers(name):
    peer = Peer(name)
    peer.subscribe(f"{name}/+", 1, props=properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=1))
    peer.subscribe(f"{name}/a", 1, props=properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=268435455))
    peer.publish(f"{name}/a", "x", 1)
    equal(sorted(peer.next().properties.SubscriptionIdentifier), [1, 268435455])
    peer.nothing()
    peer.leave()


@scenario
def no_local(name):
    peer = Peer(name)
    peer.subscribe(name, options=SubscribeOptions(qos=1, noLocal=True))
    peer.publish(name, "mine", 1)
    peer.nothing()
    other = Peer(f"{name}-o")
    other.publish(name, "theirs", 1)
    equal(peer.next().payload, b"theirs")
    peer.leave()
    other.leave()


@scenario
def message_properties(name):
    peer = Peer(name)
    peer.subscribe(name, 1)
    sent = properties(PacketTypes.PUBLISH, PayloadFormatIndicator=1, ContentType="text/plain", ResponseTopic="answer",
                      CorrelationData=b"\x00\xff", UserProperty=[("b", "1"), ("a", "2"), ("b", "3")])
    peer.publish(name, "x", 1, props=sent)
    got = peer.next().properties
    equal((got.PayloadFormatIndicator, got.ContentType, got.ResponseTopic, got.CorrelationData, got.UserProperty),
          (1, "text/plain", "answer", b"\x00\xff", [("b", "1"), ("a", "2"), ("b", "3")]))
    peer.leave()


@scenario
@versions
def refusals(name, version):
    wrong = Peer(f"{name}-bad-password", version, user=("bad", "bad"))
    equal(reason_of(wrong.reason), 0x86 if version == V5 else 4)
    wrong.client.loop_stop()
    peer = Peer(name, version)
    equal(peer.subscribe("secret/x", 1), [0x87 if version == V5 else 0x80])
    equal(peer.subscribe(name, 1), [1])
    peer.publish(name, "still here", 1)
    peer.next()
    peer.leave()


@scenario
@versions
def keep_alive(name, version):
    peer = Peer(name, version, keepalive=1)
    time.sleep(2.5)  # Paho pings.
    peer.subscribe(name)
    peer.leave()
    silent = Peer(f"{name}-silent", version, keepalive=1, loop=False)
    sock = silent.client.socket()
    silent.client.loop(1)
    sock.settimeout(5)
    ending = b""
    while True:
        part = sock.recv(100)
        if not part:
            break
        ending += part
    if version == V5:
        equal((ending[0], ending[2]), (0xE0, 0x8D))


@scenario
@versions
def takeover(name, version):
    lasting = properties(PacketTypes.CONNECT, SessionExpiryInterval=60) if version == V5 else None
    first = Peer(name, version, clean=False, connect=lasting)
    first.subscribe(name, 1)
    second = Peer(name, version, clean=False, connect=lasting)
    equal(second.flags["session present"], 1)
    reason = reason_of(first.gone.get(timeout=LIMIT))
    if version == V5:
        equal(reason, 0x8E)
    first.client.loop_stop()
    second.publish(name, "x", 1)
    equal(second.next().payload, b"x")
    second.leave()


@scenario
@versions
def server_disconnect(name, version):
    peer = Peer(name, version)
    peer.client.publish("control/disconnect", name, 0)
    reason = reason_of(peer.gone.get(timeout=LIMIT))
    if version == V5:
        equal(reason, 0x98)
    peer.client.loop_stop()


@scenario
@versions
def tls(name, version):
    peer = Peer(name, version, port=TLS_PORT, tls=True)
    peer.subscribe(name, 2)
    peer.publish(name, "x" * 200_000, 2)
    equal(len(peer.next().payload), 200_000)
    peer.leave()


@scenario
@versions
def web_socket(name, version):
    peer = Peer(name, version, port=WS_PORT, transport="websockets")
    peer.subscribe(name, 2)
    peer.publish(name, "x" * 200_000, 2)
    equal(len(peer.next().payload), 200_000)
    peer.leave()


def run(name):
    try:
        SCENARIOS[name](name)
        return {"scenario": name, "ok": True}
    except Exception:  # Whatever it is, it is the scenario's result.
        return {"scenario": name, "ok": False, "why": traceback.format_exc()}


# Side by side, as most of their time is waiting.
threads = []
lock = threading.Lock()


def report(name):
    result = run(name)
    with lock:
        print(json.dumps(result), flush=True)


for name in SCENARIOS:
    thread = threading.Thread(target=report, args=(name,), daemon=True)
    thread.start()
    threads.append(thread)
for thread in threads:
    thread.join(40)

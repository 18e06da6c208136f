import { NOTICE_TOPICS, type NoticeTopic } from "@dbdepot/contract/console/notices";
import type { DigestItem, DigestSection } from "./notice.ts";

const SAMPLES: Record<NoticeTopic, readonly DigestItem[]> = {
  licences: [
    { text: "The licence for VPN IP (vpn_ip) ends in 30 days, on 31 March 2027.", urgency: "later", path: "/licences" },
    {
      text: "Example Corp: the licence for Proxy IP (proxy_ip) ended on 1 March 2027.",
      urgency: "now",
      path: "/organizations",
    },
  ],
  terms: [
    {
      text: "The terms “Data licence” (data-licence@2) must be accepted before VPN IP (vpn_ip) can be downloaded.",
      urgency: "now",
      path: "/terms",
    },
  ],
  keys: [
    {
      text: "The key “nightly import” (dbd_4f7Kq2Zx) expires in 7 days, on 8 March 2027.",
      urgency: "soon",
      path: "/keys",
    },
    { text: "The key “old laptop” (dbd_9aB3cD4e) expired on 1 March 2027.", urgency: "now", path: "/keys" },
  ],
  builds: [
    {
      text: "Build 019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15 of vpn_ip_v1 was withdrawn (wrong countries). Downloads now return build 019a8b11-52d0-7a0e-8e0f-0c9d1f7a2b34. Stop using the withdrawn files.",
      urgency: "now",
      path: "/databases/vpn_ip",
    },
  ],
  webhooks: [
    {
      text: "The webhook “warehouse” at hooks.example.com has failed since 28 February 2027, and events are being lost.",
      urgency: "now",
      path: "/webhooks",
    },
  ],
  requests: [
    {
      text: "Example Corp: ada@example.com asks for a licence for Proxy IP (proxy_ip).",
      urgency: "soon",
      path: "/requests",
    },
  ],
  limits: [
    {
      text: "The limit of downloads per day is nearly reached: 80 of 100 used. It resets on 2 March 2027 at 00:00 UTC.",
      urgency: "soon",
      path: "/databases",
    },
  ],
};

/** An example of a digest, with one topic or all of them. */
export function sampleDigest(topic?: NoticeTopic): DigestSection[] {
  return (topic ? [topic] : NOTICE_TOPICS).map((each) => ({ topic: each, items: SAMPLES[each] }));
}

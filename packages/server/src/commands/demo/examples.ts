/**
 * Made-up rows, all in the address blocks and AS numbers reserved for documentation (RFC 5737, 3849, 5398), so that they
 * concern no real network.
 */

const DOCUMENTATION_BLOCKS = ["192.0.2", "198.51.100", "203.0.113"];
const FIRST_DOCUMENTATION_ASN = 64496;

const PROVIDERS = [
  { provider_id: "example-net", name: "Example Net", website: "https://example.net" },
  { provider_id: "example-com", name: "Example Com", website: "https://example.com" },
  { provider_id: "example-org", name: "Example Org", website: "https://example.org" },
];

export function providerRows() {
  return PROVIDERS.map((provider, i) => ({ ...provider, asn: FIRST_DOCUMENTATION_ASN + i }));
}

/** Every eighth address of each block. */
export function exitRows() {
  return DOCUMENTATION_BLOCKS.flatMap((block, i) =>
    Array.from({ length: 32 }, (_, j) => ({
      network: `${block}.${j * 8 + i}/32`,
      exit: j % 3 !== 0,
      first_seen: `2026-0${1 + (j % 9)}-01`,
    })),
  );
}

/** Small networks of each provider, on both IP versions. */
export function providerNetworkRows() {
  return PROVIDERS.flatMap(({ provider_id: provider }, i) => [
    ...Array.from({ length: 8 }, (_, j) => ({
      network: `${DOCUMENTATION_BLOCKS[i]}.${j * 32}/28`,
      provider,
      asn: FIRST_DOCUMENTATION_ASN + i,
    })),
    { network: `2001:db8:${i + 1}::/48`, provider, asn: FIRST_DOCUMENTATION_ASN + i },
  ]);
}

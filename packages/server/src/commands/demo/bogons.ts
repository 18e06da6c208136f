/**
 * Addresses and AS numbers that IANA's special-purpose registries list as not globally reachable. IPv6 networks that
 * represent IPv4 ones (mapped, 6to4, Teredo) are omitted, because an MMDB looks them up as IPv4.
 */

interface SpecialNetwork {
  network: string;
  name: string;
  rfc: string;
  forwardable: boolean;
}

export const BOGON_NETWORKS: readonly SpecialNetwork[] = [
  special("0.0.0.0/8", "This network", "RFC 791"),
  special("10.0.0.0/8", "Private use", "RFC 1918", true),
  special("100.64.0.0/10", "Shared address space", "RFC 6598", true),
  special("127.0.0.0/8", "Loopback", "RFC 1122"),
  special("169.254.0.0/16", "Link local", "RFC 3927"),
  special("172.16.0.0/12", "Private use", "RFC 1918", true),
  special("192.0.0.0/29", "IPv4 service continuity", "RFC 7335", true),
  special("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
  special("192.0.0.170/31", "NAT64 and DNS64 discovery", "RFC 8880"),
  special("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737"),
  special("192.168.0.0/16", "Private use", "RFC 1918", true),
  special("198.18.0.0/15", "Benchmarking", "RFC 2544", true),
  special("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737"),
  special("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737"),
  special("240.0.0.0/4", "Reserved", "RFC 1112"),
  special("255.255.255.255/32", "Limited broadcast", "RFC 919"),
  special("::1/128", "Loopback", "RFC 4291"),
  special("64:ff9b:1::/48", "IPv4 to IPv6 translation, local use", "RFC 8215", true),
  special("100::/64", "Discard only", "RFC 6666", true),
  special("2001:2::/48", "Benchmarking", "RFC 5180", true),
  special("2001:db8::/32", "Documentation", "RFC 3849"),
  special("3fff::/20", "Documentation", "RFC 9637"),
  special("5f00::/16", "Segment routing identifiers", "RFC 9602", true),
  special("fc00::/7", "Unique local", "RFC 4193", true),
  special("fe80::/10", "Link local", "RFC 4291"),
];

export const BOGON_ASNS = [
  { first_asn: 0, last_asn: 0, name: "Reserved", rfc: "RFC 7607" },
  { first_asn: 23456, last_asn: 23456, name: "AS_TRANS", rfc: "RFC 6793" },
  { first_asn: 64496, last_asn: 64511, name: "Documentation", rfc: "RFC 5398" },
  { first_asn: 64512, last_asn: 65534, name: "Private use", rfc: "RFC 6996" },
  { first_asn: 65535, last_asn: 65535, name: "Reserved", rfc: "RFC 7300" },
  { first_asn: 65536, last_asn: 65551, name: "Documentation", rfc: "RFC 5398" },
  { first_asn: 4_200_000_000, last_asn: 4_294_967_294, name: "Private use", rfc: "RFC 6996" },
  { first_asn: 4_294_967_295, last_asn: 4_294_967_295, name: "Reserved", rfc: "RFC 7300" },
];

function special(network: string, name: string, rfc: string, forwardable = false): SpecialNetwork {
  return { network, name, rfc, forwardable };
}

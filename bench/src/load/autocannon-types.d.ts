/** As much of autocannon as load/autocannon.ts uses: the package has no types. */
declare module "autocannon" {
  interface Request {
    path: string;
    headers: Record<string, string>;
  }

  export default function autocannon(options: {
    url: string;
    connections: number;
    duration: number;
    setupClient(client: { setRequests(requests: Request[]): void }): void;
  }): Promise<{
    requests: { total: number };
    throughput: { total: number };
    latency: { p50: number; p99: number };
    duration: number;
    errors: number;
    timeouts: number;
    "4xx": number;
    "5xx": number;
  }>;
}

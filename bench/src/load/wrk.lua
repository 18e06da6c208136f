-- Sends the requests that stand on standard input, a NUL behind each, over and over.
local requests, count, at = {}, 0, 0

function init()
  for request in io.read("*a"):gmatch("[^%z]+") do
    count = count + 1
    requests[count] = request
  end
end

function request()
  at = at % count + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests": %d, "seconds": %.6f, "bytes": %d, "refused": %d, "broken": %d, "p50Ms": %.4f, "p99Ms": %.4f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end

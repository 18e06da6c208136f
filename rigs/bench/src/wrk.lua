-- Reads requests from standard input, each followed by a NUL, and sends them over and over.
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

function done(summary)
  local errors = summary.errors
  io.write(string.format('\nRESULT {"requests": %d, "seconds": %.6f, "refused": %d, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end

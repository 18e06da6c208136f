// The health check of the image, which has no curl.
fetch(`http://127.0.0.1:${process.env.DBDEPOT_PORT ?? 8080}/readyz`).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
);

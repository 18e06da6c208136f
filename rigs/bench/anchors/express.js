/**
 * The download endpoint as a team would write it by hand: Express, pg and the AWS presigner. It checks the key and the
 * licence, records the attempt and redirects to a presigned link. DATABASE_URL names a database with dbdepot's schema.
 */
import { createHash, randomUUID } from "node:crypto";

import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import express from "express";
import pg from "pg";

const KEY_QUERY = `
  select keys.id, keys.organization_id
  from key_secrets join keys on keys.id = key_secrets.key_id
  where key_secrets.hash = $1 and keys.revoked is null and (keys.expires is null or keys.expires > $2)
    and (key_secrets.expires is null or key_secrets.expires > $2) and keys.scopes like '%"db.download"%'`;
const FILE_QUERY = `
  select build_files.build_id, build_files.object_key, build_files.size_bytes
  from versions
    join licences on licences.base = versions.base
    join build_files on build_files.build_id = versions.current_build_id
  where versions.id = $1 and build_files.format = $2 and licences.organization_id = $3
    and licences.starts <= $4 and (licences.expires is null or licences.expires > $4)`;
const INSERT = `
  insert into attempts
    (id, api, organization_id, key_id, dataset_id, format, outcome, bytes, http_status, build_id, client_ip, user_agent, created)
  values ($1, 'v2', $2, $3, $4, $5, 'ok', $6, 302, $7, $8, $9, $10)`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const s3 = new S3Client({
  region: "us-east-1",
  endpoint: "http://127.0.0.1:9000",
  credentials: { accessKeyId: "bench", secretAccessKey: "bench-secret" },
  forcePathStyle: true,
});

const app = express();
app.get("/api/v2/database/download", async (request, response) => {
  const key = /^Bearer (\S+)$/.exec(request.get("authorization") ?? "")?.[1] ?? "";
  const hash = createHash("sha256").update(key).digest("hex");
  const now = new Date().toISOString();
  const { rows: keys } = await pool.query(KEY_QUERY, [hash, now]);
  const caller = keys[0];
  if (!caller) return void response.status(401).json({ rc: "UNAUTHORIZED" });

  const { id, format } = request.query;
  const { rows: files } = await pool.query(FILE_QUERY, [id, format, caller.organization_id, now]);
  const file = files[0];
  if (!file) return void response.status(403).json({ rc: "NOT_LICENSED" });

  const object = new GetObjectCommand({ Bucket: "databases", Key: file.object_key });
  const link = await getSignedUrl(s3, object, { expiresIn: 900 });
  await pool.query(INSERT, [
    randomUUID(),
    caller.organization_id,
    caller.id,
    id,
    format,
    file.size_bytes,
    file.build_id,
    request.ip,
    request.get("user-agent"),
    now,
  ]);
  response.set("Cache-Control", "no-store").redirect(302, link);
});
const server = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${server.address().port}\n`);
});

import { randomBytes } from "node:crypto";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { LatestMarker } from "@dbdepot/contract/v2/destinations";
import type { S3Server } from "../../../../../rigs/harness/servers/s3-server.ts";

/** What the vendor may do in the bucket of a customer. */
export const DELIVERY_ACTIONS = [
  "s3:GetObject",
  "s3:PutObject",
  "s3:PutObjectAcl",
  "s3:DeleteObject",
  "s3:AbortMultipartUpload",
];

/** A bucket of the second user of the S3 server. */
export class CustomerBucket {
  readonly name: string;
  readonly endpoint: string;
  readonly client: S3Client;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };

  private constructor(name: string, endpoint: string, credentials: CustomerBucket["credentials"]) {
    this.name = name;
    this.endpoint = endpoint;
    this.credentials = credentials;
    this.client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true });
  }

  static async create(
    server: S3Server,
    options: { ObjectLockEnabledForBucket?: boolean } = {},
  ): Promise<CustomerBucket> {
    if (!server.customer) throw new Error("the S3 server has no second user");
    const endpoint = new URL(server.url).searchParams.get("endpoint") ?? "";
    const bucket = new CustomerBucket(`customer-${randomBytes(6).toString("hex")}`, endpoint, server.customer);
    await bucket.client.send(new CreateBucketCommand({ Bucket: bucket.name, ...options }));
    return bucket;
  }

  /** The policy of docs/customers/deliveries.md, and more statements about its objects. */
  async allow(principal: string, actions = DELIVERY_ACTIONS, more: object[] = []): Promise<void> {
    const Bucket = this.name;
    const Resource = [`arn:aws:s3:::${Bucket}/*`];
    const statements = [{ Effect: "Allow", Principal: { AWS: [principal] }, Action: actions, Resource }];
    const Statement = [...statements, ...more.map((statement) => ({ Resource, ...statement }))];
    const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
    await this.client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
  }

  async put(key: string, body: string): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket: this.name, Key: key, Body: body }));
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ Bucket: this.name, Key: key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    } catch (error) {
      if ((error as Error).name === "NoSuchKey") return undefined;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand({ Bucket: this.name, Key: key }));
  }

  async keys(): Promise<string[]> {
    const { Contents = [] } = await this.client.send(new ListObjectsV2Command({ Bucket: this.name }));
    return Contents.map(({ Key = "" }) => Key).sort();
  }

  async latest(prefix: string, id: string): Promise<LatestMarker | undefined> {
    const body = await this.get(`${prefix}/${id}/latest.json`);
    return body && JSON.parse(body.toString());
  }

  close(): void {
    this.client.destroy();
  }
}

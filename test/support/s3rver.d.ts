declare module '@20minutes/s3rver' {
  import { type AddressInfo } from 'node:net';

  /** An S3-compatible server that keeps objects in a folder. Its only access key and secret are S3RVER. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}

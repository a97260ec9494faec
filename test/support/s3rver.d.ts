declare module '@20minutes/s3rver' {
  import { type AddressInfo } from 'node:net';

  /** A server that speaks the protocol of S3 and keeps objects in a folder. Its only access key is S3RVER, like its secret. */
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

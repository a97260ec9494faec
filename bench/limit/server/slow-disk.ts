// Loaded before a service: gives it a disk whose syncs take some time.
import fs from 'node:fs';

const milliseconds = Number(process.env.SLOW_SYNC_MS);
const { fdatasync } = fs;

fs.fdatasync = ((descriptor, done) =>
  fdatasync(descriptor, (error) => setTimeout(done, milliseconds, error))) as typeof fs.fdatasync;

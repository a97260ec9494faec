import { Controller, Get, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../access/access';
import { StorageHealthService } from '../attachments/storage-health.service';
import { acceptsWrites } from '../database/connections/accepts-writes';
import { isMigrated } from '../database/migrating/migrate';
import { isDamaged } from '../database/sqlite/sqlite-connections';
import { ServiceUnavailableError } from '../errors/domain-errors';
import { type ServiceAdapter } from '../http/server/service-adapter';
import { Operation } from '../openapi/operation';
import { HealthDto } from './dto/health.dto';
import { NewerSchemaService } from './newer-schema.service';

/** Maximum response time of the database, in milliseconds. */
const READY_MS = 1500;

@ApiTags('Health')
@Controller('health')
export class HealthController {
  private readonly logger = new Logger(HealthController.name);
  private wasReady = true;
  /** The running check; only one at a time, so that checks do not pile up on a hanging database. */
  private looking?: Promise<boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: StorageHealthService,
    private readonly newerSchema: NewerSchemaService,
    private readonly adapterHost: HttpAdapterHost<ServiceAdapter>,
  ) {}

  @Get('live')
  @Operation({ summary: 'Check that the process is running', returns: HealthDto })
  @Public()
  getLiveness(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Operation({
    summary: 'Check that requests can be served',
    description:
      'Returns 200 if the database responds promptly, accepts writes and is not damaged, all migrations have run and files can be stored; otherwise 503, within 2 seconds. Also returns 503 once the service is stopping.',
    returns: HealthDto,
  })
  @Public()
  async getReadiness(): Promise<HealthDto> {
    const { isStopping } = this.adapterHost.httpAdapter.connections;
    if (isStopping || isDamaged(this.dataSource) || this.newerSchema.isSuperseded)
      throw new ServiceUnavailableError();
    this.looking ??= isMigrated(this.dataSource).finally(() => (this.looking = undefined));
    const [database = false, storage] = await Promise.all([
      withTimeout(READY_MS, this.looking),
      this.storage.isWritable(),
    ]);
    const writes = acceptsWrites(this.dataSource);
    const isReady = database && writes && storage;
    this.logChange(isReady, { database, writes, storage });
    if (!isReady) throw new ServiceUnavailableError();
    return { status: 'ok' };
  }

  private logChange(isReady: boolean, checks: object): void {
    if (isReady === this.wasReady) return;
    this.wasReady = isReady;
    if (isReady) this.logger.log(checks, 'Ready again');
    else this.logger.warn(checks, 'Not ready');
  }
}

/** Returns the value of a promise, or undefined when it takes longer than a number of milliseconds. */
async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

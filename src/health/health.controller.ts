import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../access/access';
import { isMigrated } from '../database/migrate';
import { ServiceUnavailableError } from '../errors/domain-errors';
import { Operation } from '../openapi/operation';
import { HealthDto } from './dto/health.dto';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('live')
  @Operation({ summary: 'Tell whether the process runs', returns: HealthDto })
  @Public()
  getLiveness(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Operation({
    summary: 'Tell whether requests can be served',
    description: 'The database answers and every migration has run; 503 otherwise.',
    returns: HealthDto,
  })
  @Public()
  async getReadiness(): Promise<HealthDto> {
    if (!(await isMigrated(this.dataSource))) throw new ServiceUnavailableError();
    return { status: 'ok' };
  }
}

import { Module } from '@nestjs/common';
import { HealthController } from './health.controller';

/** What a load balancer or an orchestrator asks. */
@Module({ controllers: [HealthController] })
export class HealthModule {}

import { Global, Module } from '@nestjs/common';
import { BackgroundService } from './background.service';

/** Background work for all modules. */
@Global()
@Module({ providers: [BackgroundService], exports: [BackgroundService] })
export class BackgroundModule {}

import { Module } from '@nestjs/common';
import { ActivitiesService } from './activities.service';

/** The record of what happened in projects. */
@Module({ providers: [ActivitiesService], exports: [ActivitiesService] })
export class ActivitiesModule {}

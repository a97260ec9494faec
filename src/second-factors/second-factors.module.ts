import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { SecondFactorRepository } from './data/second-factor.repository';
import { EnrolmentService } from './enrolment.service';
import { RequiredFactorsService } from './required-factors.service';
import { SecondFactorsController } from './second-factors.controller';
import { SecondFactorsService } from './second-factors.service';

/** What users need besides their passwords to sign in: authenticator apps and recovery codes. */
@Module({
  imports: [UsersModule, SessionsModule, SpaceModule, AuditLogModule],
  controllers: [SecondFactorsController],
  providers: [SecondFactorsService, EnrolmentService, RequiredFactorsService, SecondFactorRepository],
  exports: [SecondFactorsService, EnrolmentService],
})
export class SecondFactorsModule {}

import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { RecentlyViewedRepository } from './data/recently-viewed.repository';
import { ViewsService } from './views.service';

/** Module of the recent views of users. */
@Module({
  imports: [UsersModule],
  providers: [RecentlyViewedRepository, ViewsService],
  exports: [ViewsService],
})
export class ViewsModule {}

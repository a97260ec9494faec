import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { CountsAs } from '../limits/rate-class';
import { RequestRatesService } from '../limits/request-rates.service';
import { Operation } from '../openapi/operation';
import { RateLimitDto } from './dto/rate-limit.dto';

@ApiTags('Space')
@Controller('rateLimit')
export class RateLimitController {
  constructor(private readonly rates: RequestRatesService) {}

  @Get()
  @Operation({
    summary: "Get the caller's rate limits",
    description:
      'Rate limits by class: `search` for lists and counts of issues, wiki pages and documents, `icon` for the icons of the space, users, projects and teams, `update` for all changes, `read` for everything else. This operation does not count. If rate limits are off, the remaining number never decreases.',
    returns: RateLimitDto,
  })
  @Access({ roles: EVERYONE, needsNoScope: true })
  @CountsAs('nothing')
  async getRateLimit(@CurrentCaller() { id }: Caller): Promise<RateLimitDto> {
    return { rateLimit: await this.rates.peek(id) };
  }
}

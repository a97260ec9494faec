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
      'Of each class: `search` is the lists and counts of issues, wiki pages and documents, `icon` the icons of the space, users, projects ' +
      'and teams, `update` whatever changes something, `read` everything else. This operation does not count. If rate limits are off, the remaining number never goes down.',
    returns: RateLimitDto,
  })
  @Access({ roles: EVERYONE })
  @CountsAs('nothing')
  async getRateLimit(@CurrentCaller() { id }: Caller): Promise<RateLimitDto> {
    return { rateLimit: await this.rates.look(id) };
  }
}

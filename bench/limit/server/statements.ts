/** Statements of the limit: joins where the service queries in steps, so that each response takes the fewest round trips. */

export const PAGE_SIZE = 20;

const USER = `u.id AS userPrimaryId, u.user_id AS userId, u.name AS userName, u.role_type AS roleType, u.lang AS lang,
  u.mail_address AS mailAddress, u.last_login_time AS lastLoginTime, u.vendor_id AS vendorId,
  u.vendor_name AS vendorName, u.vendor_unique_id AS vendorUniqueId`;

/**
 * Parameters: repository name, pull request number, project key, highest id.
 * @param hint for an engine that would otherwise read a long thread from its end instead of seeking to the highest id
 */
export const listComments = (hint: string): string => `
  SELECT c.id AS id, c.content AS content, c.change_log AS changeLog, c.created AS created, c.updated AS updated, ${USER}
    FROM comment c ${hint} JOIN user u ON u.id = c.created_user_id
   WHERE c.thread_id = (SELECT r.thread_id
                          FROM project p
                          JOIN git_repository g ON g.project_id = p.id AND g.name = ?
                          JOIN pull_request r ON r.repository_id = g.id AND r.number = ?
                         WHERE p.project_key = ?)
     AND c.id <= ?
   ORDER BY c.id DESC LIMIT ${PAGE_SIZE}`;

const COMMENT_IDS = Array(PAGE_SIZE).fill('?').join(',');

/** Stars and notifications of a page in one statement; parameters: the page's ids, twice. */
export const LIST_MARKS = `
  SELECT 1 AS isStar, s.id AS id, s.comment_id AS commentId, s.comment AS comment, s.url AS url, s.title AS title,
         s.created AS created, 0 AS reason, 0 AS alreadyRead, 0 AS resourceAlreadyRead, ${USER}
    FROM star s JOIN user u ON u.id = s.presenter_id WHERE s.comment_id IN (${COMMENT_IDS})
  UNION ALL
  SELECT 0, n.id, n.comment_id, '', '', '', 0, n.reason, n.already_read, n.resource_already_read, ${USER}
    FROM notification n JOIN user u ON u.id = n.user_id WHERE n.comment_id IN (${COMMENT_IDS})`;

/** An issue, once for each requested member; parameters: issue number, project key, member ids. */
export const findIssueWithMembers = (members: number): string => `
  SELECT i.id AS issueId, i.project_id AS projectId, i.key_id AS keyId, i.thread_id AS threadId, i.summary AS summary,
         i.description AS description, ${USER}
    FROM project p
    JOIN issue i ON i.project_id = p.id AND i.key_id = ?
    JOIN project_member m ON m.project_id = p.id
    JOIN user u ON u.id = m.user_id
   WHERE p.project_key = ? AND m.user_id IN (${Array(members).fill('?').join(',')})`;

export const INSERT_COMMENT = `
  INSERT INTO comment (thread_id, content, change_log, created_user_id, created, updated) VALUES (?,?,?,?,?,?)`;

export const insertNotifications = (rows: number): string => `
  INSERT INTO notification (project_id, thread_id, comment_id, sender_id, user_id, reason, already_read,
                            resource_already_read, created)
  VALUES ${Array(rows).fill('(?,?,?,?,?,?,?,?,?)').join(',')}`;

/** Parameters: the time twice, user, issue id. */
export const UPDATE_ISSUE = `
  UPDATE issue SET updated = CASE WHEN updated < ? THEN ? ELSE updated END, updated_user_id = ? WHERE id = ?`;

export const INSERT_ACTIVITY = `
  INSERT INTO activity (project_id, type, content, created_user_id, created) VALUES (?,?,?,?,?)`;

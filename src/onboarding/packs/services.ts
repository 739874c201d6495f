/** Services that people have accounts at: code, chat, mail, documents, tasks. */
import { asksStrangers, definePack, each, type Pack, readsThere, searches, writesThere } from "./pack.ts";

const ASKS = { approval: "always" } as const;

const REPOSITORY = readsThere(
  "internal",
  "It reads repositories, private ones too; anybody may have written an issue.",
);
const SEARCHES_ALL = searches("internal", "It searches what everybody has there, not only what is yours.");
const WRITES_REPOSITORY = writesThere("internal", "The repository may be public.");
const CHANGES_CODE = writesThere("internal", "It changes what is built, maybe in public.", ASKS);

const github = definePack(
  "github",
  "code",
  [
    "npm:@modelcontextprotocol/server-github",
    "program:mcp-server-github",
    "image:mcp/github",
    "image:ghcr.io/github/github-mcp-server",
    "image:mcp/github-mcp-server",
    "program:github-mcp-server",
    "url:https://api.githubcopilot.com/mcp",
  ],
  each(
    `get_file_contents list_commits list_issues get_issue
     get_pull_request list_pull_requests get_pull_request_files get_pull_request_status get_pull_request_comments
     get_pull_request_reviews get_me get_commit list_branches list_tags get_tag get_issue_comments
     get_pull_request_diff list_releases get_latest_release issue_read pull_request_read
     list_issue_types get_label list_label get_teams get_team_members get_release_by_tag`,
    REPOSITORY,
  ),
  each("search_repositories search_code search_issues search_users search_pull_requests", SEARCHES_ALL),
  each(
    `create_issue update_issue add_issue_comment create_pull_request create_pull_request_review create_branch
     create_repository issue_write sub_issue_write add_comment_to_pending_review update_pull_request
     pull_request_review_write request_copilot_review`,
    WRITES_REPOSITORY,
  ),
  each(
    `create_or_update_file push_files merge_pull_request fork_repository update_pull_request_branch delete_file
     assign_copilot_to_issue`,
    CHANGES_CODE,
  ),
);

const gitlab = definePack(
  "gitlab",
  "code",
  ["npm:@modelcontextprotocol/server-gitlab", "program:mcp-server-gitlab", "image:mcp/gitlab"],
  each("get_file_contents", REPOSITORY),
  each("search_repositories", SEARCHES_ALL),
  each("create_issue create_merge_request create_branch create_repository", WRITES_REPOSITORY),
  each("create_or_update_file push_files fork_repository", CHANGES_CODE),
);

const gitlabMcp = definePack(
  "gitlab-mcp",
  "code",
  ["npm:@zereight/mcp-gitlab"],
  each(
    `get_merge_request_approval_state get_merge_request_conflicts list_merge_request_pipelines get_file_contents
     get_branch list_branches list_protected_branches get_protected_branch get_merge_request get_merge_request_diffs
     list_merge_request_changed_files list_merge_request_diffs get_merge_request_file_diff
     list_merge_request_versions get_merge_request_version get_branch_diffs mr_discussions
     get_merge_request_discussion get_merge_request_note get_merge_request_notes get_draft_note list_draft_notes
     list_merge_request_emoji_reactions list_merge_request_note_emoji_reactions list_issue_emoji_reactions
     list_issue_note_emoji_reactions list_issues my_issues get_issue list_todos list_issue_links
     list_issue_discussions get_issue_link list_namespaces get_namespace verify_namespace get_project list_projects
     list_project_members list_group_members list_labels get_label list_group_projects get_repository_tree
     validate_project_ci_lint list_ci_catalog_resources get_ci_catalog_resource list_merge_requests
     list_group_merge_requests get_users get_user whoami list_commits get_commit get_commit_diff get_file_blame
     list_commit_statuses list_group_iterations health_check list_events get_project_events`,
    REPOSITORY,
  ),
  each("search_repositories", SEARCHES_ALL),
  each(
    "validate_ci_lint",
    asksStrangers(
      "internal",
      "What it checks may include files of any address, which the service then asks for.",
    ),
  ),
  each(
    `approve_merge_request unapprove_merge_request create_repository create_group create_issue create_merge_request
     create_branch create_note create_merge_request_thread resolve_merge_request_thread
     create_merge_request_discussion_note create_merge_request_note create_draft_note update_draft_note
     publish_draft_note bulk_publish_draft_notes create_merge_request_emoji_reaction
     create_merge_request_note_emoji_reaction create_issue_note create_issue_emoji_reaction
     create_issue_note_emoji_reaction mark_todo_done create_issue_link create_label create_commit_status`,
    WRITES_REPOSITORY,
  ),
  each(
    `merge_merge_request create_or_update_file push_files fork_repository delete_branch protect_branch
     unprotect_branch update_default_branch update_merge_request update_merge_request_discussion_note
     update_merge_request_note update_issue_note update_issue update_issue_description_patch mark_all_todos_done
     update_project update_label delete_merge_request_discussion_note delete_merge_request_note delete_draft_note
     delete_merge_request_emoji_reaction delete_merge_request_note_emoji_reaction delete_issue_emoji_reaction
     delete_issue_note_emoji_reaction delete_issue delete_issue_link delete_label`,
    CHANGES_CODE,
  ),
  each(
    "upload_markdown download_attachment",
    writesThere("internal", "It reads or writes a file of this machine.", ASKS),
  ),
);

const slack = definePack(
  "slack",
  "chat",
  [
    "npm:@modelcontextprotocol/server-slack",
    "npm:@zencoderai/slack-mcp-server",
    "program:mcp-server-slack",
    "image:mcp/slack",
  ],
  each(
    "slack_list_channels slack_get_channel_history slack_get_thread_replies slack_get_users slack_get_user_profile",
    readsThere("confidential", "It reads what colleagues write to each other, and who they are."),
  ),
  each(
    "slack_post_message slack_reply_to_thread slack_add_reaction",
    writesThere("confidential", "Guests and partners may read the channel."),
  ),
);

const MAIL = "Mail is between people, and anybody can send it.";

const gmail = definePack(
  "gmail",
  "mail",
  ["npm:@gongrzhe/server-gmail-autoauth-mcp", "program:gmail-mcp"],
  each("read_email search_emails list_email_labels", readsThere("confidential", MAIL)),
  each(
    "draft_email",
    writesThere(
      "confidential",
      "A draft waits to be sent; nobody looks at it before. Attachments are files of this machine, so a person is asked.",
      { approval: "has(args.attachments)" },
    ),
  ),
  each("send_email", writesThere("confidential", "It sends to anybody.", ASKS)),
  each(
    `delete_email batch_delete_emails modify_email batch_modify_emails create_label update_label delete_label
     get_or_create_label create_filter delete_filter download_attachment`,
    writesThere("confidential", "It changes a mailbox, or this machine's files.", ASKS),
  ),
);

const googleDrive = definePack(
  "google-drive",
  "documents",
  ["npm:@modelcontextprotocol/server-gdrive", "program:mcp-server-gdrive", "image:mcp/gdrive"],
  each("search", readsThere("confidential", "It reads documents, and others share theirs unasked.")),
);

const notion = definePack(
  "notion",
  "documents",
  ["url:https://mcp.notion.com/mcp", "url:https://mcp.notion.com/sse"],
  each(
    "notion-fetch notion-get-comments notion-get-users notion-get-user notion-get-self notion-get-teams",
    readsThere("confidential", "It reads a workspace's pages and who works there."),
  ),
  // Its search also asks the services that the workspace is joined with.
  each("notion-search", readsThere("confidential", "It searches the workspace, and what is joined with it.")),
  each(
    "notion-create-pages notion-create-database notion-create-comment notion-duplicate-page",
    writesThere("confidential", "A page may be shared with guests, or published."),
  ),
  each(
    "notion-update-page notion-move-pages notion-update-database",
    writesThere("confidential", "It changes pages that others work on.", ASKS),
  ),
);

const linear = definePack(
  "linear",
  "tasks",
  ["url:https://mcp.linear.app/mcp", "url:https://mcp.linear.app/sse"],
  each(
    `list_issues get_issue list_comments list_projects get_project list_teams get_team list_users get_user
     list_documents get_document list_cycles list_issue_statuses get_issue_status list_issue_labels list_project_labels
     search_documentation`,
    readsThere("internal", "It reads tasks, and customers may have written them."),
  ),
  each(
    "create_issue create_comment create_project create_issue_label",
    writesThere("internal", "Tasks may be shown to customers, and copied to other services."),
  ),
  each("update_issue update_project", writesThere("internal", "It changes tasks that others work on.", ASKS)),
);

const sentry = definePack(
  "sentry",
  "code",
  ["url:https://mcp.sentry.dev/mcp", "url:https://mcp.sentry.dev/sse"],
  each(
    `whoami find_organizations find_teams find_projects find_releases find_dsns get_issue_details get_trace_details
     get_event_attachment search_events search_issues search_issue_events search_docs get_doc`,
    readsThere("confidential", "Reports of errors hold users' data, and users can put text into them."),
  ),
  each(
    "create_team create_project create_dsn update_project update_issue analyze_issue_with_seer",
    writesThere("confidential", "It changes how errors are reported.", ASKS),
  ),
);

export const SERVICE_PACKS: readonly Pack[] = Object.freeze([
  github,
  gitlab,
  gitlabMcp,
  slack,
  gmail,
  googleDrive,
  notion,
  linear,
  sentry,
]);

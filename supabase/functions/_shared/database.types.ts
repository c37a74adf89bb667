export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[];

export type Database = {
  "public": {
    Tables: {
      "agencies": {
        Row: {
          "closes_at": string;
          "created_at": string;
          "id": string;
          "name": string;
          "opens_at": string;
          "timezone": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "closes_at"?: string;
          "created_at"?: string;
          "id"?: string;
          "name": string;
          "opens_at"?: string;
          "timezone": string;
          "updated_at"?: string;
        };
        Update: {
          "closes_at"?: string;
          "created_at"?: string;
          "id"?: string;
          "name"?: string;
          "opens_at"?: string;
          "timezone"?: string;
          "updated_at"?: string;
        };
        Relationships: [];
      };
      "agency_changes": {
        Row: {
          "action": string;
          "after": NonNullable<Json>;
          "agency_id": string;
          "agent_id": string | null;
          "before": NonNullable<Json>;
          "changed_by": string;
          "created_at": string;
          "id": string;
          "subject_id": string;
        };
        ComputedFields: never;
        Insert: {
          "action": string;
          "after": NonNullable<Json>;
          "agency_id": string;
          "agent_id"?: string | null;
          "before": NonNullable<Json>;
          "changed_by": string;
          "created_at"?: string;
          "id"?: string;
          "subject_id": string;
        };
        Update: {
          "action"?: string;
          "after"?: NonNullable<Json>;
          "agency_id"?: string;
          "agent_id"?: string | null;
          "before"?: NonNullable<Json>;
          "changed_by"?: string;
          "created_at"?: string;
          "id"?: string;
          "subject_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "agency_changes_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agency_changes_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "agency_changes_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "agent_notifications": {
        Row: {
          "agent_id": string;
          "by_agent_id": string | null;
          "conversation_id": string | null;
          "created_at": string;
          "day": string | null;
          "id": string;
          "kind": string;
          "lead_id": string | null;
          "message_id": string | null;
          "others": number | null;
          "read_at": string | null;
          "reason": string | null;
          "urgent": boolean;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "by_agent_id"?: string | null;
          "conversation_id"?: string | null;
          "created_at"?: string;
          "day"?: string | null;
          "id"?: string;
          "kind": string;
          "lead_id"?: string | null;
          "message_id"?: string | null;
          "others"?: number | null;
          "read_at"?: string | null;
          "reason"?: string | null;
          "urgent"?: never;
        };
        Update: {
          "agent_id"?: string;
          "by_agent_id"?: string | null;
          "conversation_id"?: string | null;
          "created_at"?: string;
          "day"?: string | null;
          "id"?: string;
          "kind"?: string;
          "lead_id"?: string | null;
          "message_id"?: string | null;
          "others"?: number | null;
          "read_at"?: string | null;
          "reason"?: string | null;
          "urgent"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "agent_notifications_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_by_agent_id_fkey";
            columns: ["by_agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_by_agent_id_fkey";
            columns: ["by_agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "agent_notifications_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "agent_notifications_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
          {
            foreignKeyName: "agent_notifications_message_id_fkey";
            columns: ["message_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_messages";
            referencedColumns: ["id"];
          },
        ];
      };
      "agents": {
        Row: {
          "accepts_recruits": boolean;
          "agency_id": string;
          "away_until": string | null;
          "created_at": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "is_active": boolean;
          "last_assigned_at": string | null;
          "last_name": string | null;
          "mail_about": (string)[];
          "phone": string | null;
          "role": string;
          "updated_at": string;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "accepts_recruits": boolean;
          "agency_id": string;
          "away_until"?: string | null;
          "created_at"?: string;
          "email"?: string | null;
          "first_name": string;
          "id"?: string;
          "is_active"?: boolean;
          "last_assigned_at"?: string | null;
          "last_name"?: string | null;
          "mail_about"?: (string)[];
          "phone"?: string | null;
          "role"?: string;
          "updated_at"?: string;
          "user_id"?: string | null;
        };
        Update: {
          "accepts_recruits"?: boolean;
          "agency_id"?: string;
          "away_until"?: string | null;
          "created_at"?: string;
          "email"?: string | null;
          "first_name"?: string;
          "id"?: string;
          "is_active"?: boolean;
          "last_assigned_at"?: string | null;
          "last_name"?: string | null;
          "mail_about"?: (string)[];
          "phone"?: string | null;
          "role"?: string;
          "updated_at"?: string;
          "user_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "agents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "alert_rules": {
        Row: {
          "advice": string | null;
          "created_at": string;
          "finder": string | null;
          "is_on": boolean;
          "kind": string;
          "link_label": string | null;
          "severity": number;
          "summary": string | null;
          "threshold": NonNullable<Json>;
          "title": string | null;
        };
        ComputedFields: never;
        Insert: {
          "advice"?: string | null;
          "created_at"?: string;
          "finder"?: string | null;
          "is_on"?: boolean;
          "kind": string;
          "link_label"?: string | null;
          "severity"?: number;
          "summary"?: string | null;
          "threshold": NonNullable<Json>;
          "title"?: string | null;
        };
        Update: {
          "advice"?: string | null;
          "created_at"?: string;
          "finder"?: string | null;
          "is_on"?: boolean;
          "kind"?: string;
          "link_label"?: string | null;
          "severity"?: number;
          "summary"?: string | null;
          "threshold"?: NonNullable<Json>;
          "title"?: string | null;
        };
        Relationships: [];
      };
      "alerts": {
        Row: {
          "agency_id": string | null;
          "command": string | null;
          "details": NonNullable<Json>;
          "id": string;
          "kind": string;
          "link": string | null;
          "opened_at": string;
          "problem": string | null;
          "resolved_at": string | null;
          "seen_at": string;
          "state": string;
          "subject": string;
          "subject_name": string | null;
          "told_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id"?: string | null;
          "command"?: string | null;
          "details"?: NonNullable<Json>;
          "id"?: string;
          "kind": string;
          "link"?: string | null;
          "opened_at"?: string;
          "problem"?: string | null;
          "resolved_at"?: string | null;
          "seen_at"?: string;
          "state"?: string;
          "subject": string;
          "subject_name"?: string | null;
          "told_at"?: string | null;
        };
        Update: {
          "agency_id"?: string | null;
          "command"?: string | null;
          "details"?: NonNullable<Json>;
          "id"?: string;
          "kind"?: string;
          "link"?: string | null;
          "opened_at"?: string;
          "problem"?: string | null;
          "resolved_at"?: string | null;
          "seen_at"?: string;
          "state"?: string;
          "subject"?: string;
          "subject_name"?: string | null;
          "told_at"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "alerts_kind_fkey";
            columns: ["kind"];
            isOneToOne: false;
            referencedRelation: "alert_rules";
            referencedColumns: ["kind"];
          },
        ];
      };
      "area_codes": {
        Row: {
          "area_code": string;
          "country": string;
          "created_at": string;
          "source": string;
          "state": string | null;
          "timezones": (string)[];
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "area_code": string;
          "country": string;
          "created_at"?: string;
          "source": string;
          "state"?: string | null;
          "timezones": (string)[];
          "updated_at"?: string;
        };
        Update: {
          "area_code"?: string;
          "country"?: string;
          "created_at"?: string;
          "source"?: string;
          "state"?: string | null;
          "timezones"?: (string)[];
          "updated_at"?: string;
        };
        Relationships: [];
      };
      "bot_scripts": {
        Row: {
          "agency_id": string;
          "id": string;
          "published_at": string;
          "script": Json | null;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "id"?: string;
          "published_at"?: string;
          "script"?: Json | null;
          "version": number;
        };
        Update: {
          "agency_id"?: string;
          "id"?: string;
          "published_at"?: string;
          "script"?: Json | null;
          "version"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "bot_scripts_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "bot_sessions": {
        Row: {
          "answers": NonNullable<Json>;
          "asked_at": string | null;
          "asked_message_id": string | null;
          "conversation_id": string;
          "created_at": string;
          "expires_at": string | null;
          "has_told_about": boolean;
          "heard_since": string | null;
          "question": string;
          "reason": string | null;
          "remind_at": string | null;
          "script_id": string;
          "state": string;
          "tries": number;
          "updated_at": string;
          "version": number;
          "wakes_at": string | null;
        };
        ComputedFields: never;
        Insert: {
          "answers"?: NonNullable<Json>;
          "asked_at"?: string | null;
          "asked_message_id"?: string | null;
          "conversation_id": string;
          "created_at"?: string;
          "expires_at"?: string | null;
          "has_told_about"?: boolean;
          "heard_since"?: string | null;
          "question": string;
          "reason"?: string | null;
          "remind_at"?: string | null;
          "script_id": string;
          "state"?: string;
          "tries"?: number;
          "updated_at"?: string;
          "version"?: number;
          "wakes_at"?: never;
        };
        Update: {
          "answers"?: NonNullable<Json>;
          "asked_at"?: string | null;
          "asked_message_id"?: string | null;
          "conversation_id"?: string;
          "created_at"?: string;
          "expires_at"?: string | null;
          "has_told_about"?: boolean;
          "heard_since"?: string | null;
          "question"?: string;
          "reason"?: string | null;
          "remind_at"?: string | null;
          "script_id"?: string;
          "state"?: string;
          "tries"?: number;
          "updated_at"?: string;
          "version"?: number;
          "wakes_at"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "bot_sessions_asked_message_id_fkey";
            columns: ["asked_message_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_messages";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "bot_sessions_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "bot_sessions_script_id_fkey";
            columns: ["script_id"];
            isOneToOne: false;
            referencedRelation: "bot_scripts";
            referencedColumns: ["id"];
          },
        ];
      };
      "bot_turns": {
        Row: {
          "attempt": number;
          "conversation_id": string;
          "created_at": string;
          "due_at": string;
          "first_at": string;
          "last_message_id": string | null;
          "lease_until": string | null;
          "message_ids": (string)[];
        };
        ComputedFields: never;
        Insert: {
          "attempt"?: number;
          "conversation_id": string;
          "created_at"?: string;
          "due_at": string;
          "first_at"?: string;
          "last_message_id"?: never;
          "lease_until"?: string | null;
          "message_ids": (string)[];
        };
        Update: {
          "attempt"?: number;
          "conversation_id"?: string;
          "created_at"?: string;
          "due_at"?: string;
          "first_at"?: string;
          "last_message_id"?: never;
          "lease_until"?: string | null;
          "message_ids"?: (string)[];
        };
        Relationships: [
          {
            foreignKeyName: "bot_turns_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
        ];
      };
      "conversation_assignments": {
        Row: {
          "agency_id": string;
          "by_agent_id": string | null;
          "conversation_id": string;
          "created_at": string;
          "from_agent_id": string | null;
          "id": string;
          "reason": string | null;
          "recruiting_lead_id": string;
          "status": string;
          "to_agent_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "by_agent_id"?: string | null;
          "conversation_id": string;
          "created_at"?: string;
          "from_agent_id"?: string | null;
          "id"?: string;
          "reason"?: string | null;
          "recruiting_lead_id": string;
          "status": string;
          "to_agent_id"?: string | null;
        };
        Update: {
          "agency_id"?: string;
          "by_agent_id"?: string | null;
          "conversation_id"?: string;
          "created_at"?: string;
          "from_agent_id"?: string | null;
          "id"?: string;
          "reason"?: string | null;
          "recruiting_lead_id"?: string;
          "status"?: string;
          "to_agent_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "conversation_assignments_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_assignments_by_agent_id_agency_id_fkey";
            columns: ["by_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "conversation_assignments_by_agent_id_agency_id_fkey";
            columns: ["by_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "conversation_assignments_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_assignments_from_agent_id_agency_id_fkey";
            columns: ["from_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "conversation_assignments_from_agent_id_agency_id_fkey";
            columns: ["from_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "conversation_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "conversation_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
          {
            foreignKeyName: "conversation_assignments_to_agent_id_agency_id_fkey";
            columns: ["to_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "conversation_assignments_to_agent_id_agency_id_fkey";
            columns: ["to_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "conversation_reads": {
        Row: {
          "agent_id": string;
          "conversation_id": string;
          "created_at": string;
          "read_up_to": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "conversation_id": string;
          "created_at"?: string;
          "read_up_to": string;
          "updated_at"?: string;
        };
        Update: {
          "agent_id"?: string;
          "conversation_id"?: string;
          "created_at"?: string;
          "read_up_to"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "conversation_reads_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_reads_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "conversation_reads_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
        ];
      };
      "destinations": {
        Row: {
          "accepted_when": string | null;
          "address": string | null;
          "agency_id": string | null;
          "agent_id": string | null;
          "created_at": string;
          "events": (string)[];
          "failing_since": string | null;
          "failures": number;
          "id": string;
          "is_on": boolean;
          "kind": string;
          "max_at_once": number;
          "name": string;
          "off_reason": string | null;
          "order_id": string | null;
          "push_subscription_id": string | null;
          "rejected_when": string | null;
          "returns_rejected": boolean;
          "template": string | null;
          "updated_at": string;
          "url": string | null;
        };
        ComputedFields: never;
        Insert: {
          "accepted_when"?: string | null;
          "address"?: string | null;
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "created_at"?: string;
          "events": (string)[];
          "failing_since"?: string | null;
          "failures"?: number;
          "id"?: string;
          "is_on"?: boolean;
          "kind": string;
          "max_at_once"?: number;
          "name": string;
          "off_reason"?: string | null;
          "order_id"?: string | null;
          "push_subscription_id"?: string | null;
          "rejected_when"?: string | null;
          "returns_rejected"?: boolean;
          "template"?: string | null;
          "updated_at"?: string;
          "url"?: string | null;
        };
        Update: {
          "accepted_when"?: string | null;
          "address"?: string | null;
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "created_at"?: string;
          "events"?: (string)[];
          "failing_since"?: string | null;
          "failures"?: number;
          "id"?: string;
          "is_on"?: boolean;
          "kind"?: string;
          "max_at_once"?: number;
          "name"?: string;
          "off_reason"?: string | null;
          "order_id"?: string | null;
          "push_subscription_id"?: string | null;
          "rejected_when"?: string | null;
          "returns_rejected"?: boolean;
          "template"?: string | null;
          "updated_at"?: string;
          "url"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "destinations_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "destinations_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "greeting_list";
            referencedColumns: ["agency_id", "order_id"];
          },
          {
            foreignKeyName: "destinations_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_pace";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "destinations_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_orders";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "destinations_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "destinations_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "destinations_push_subscription_id_fkey";
            columns: ["push_subscription_id"];
            isOneToOne: true;
            referencedRelation: "push_subscriptions";
            referencedColumns: ["id"];
          },
        ];
      };
      "erasures": {
        Row: {
          "asked_by": string;
          "created_at": string;
          "erased": NonNullable<Json>;
          "id": string;
          "provider_copies": number | null;
        };
        ComputedFields: never;
        Insert: {
          "asked_by": string;
          "created_at"?: string;
          "erased": NonNullable<Json>;
          "id"?: string;
          "provider_copies"?: number | null;
        };
        Update: {
          "asked_by"?: string;
          "created_at"?: string;
          "erased"?: NonNullable<Json>;
          "id"?: string;
          "provider_copies"?: number | null;
        };
        Relationships: [];
      };
      "lead_activities": {
        Row: {
          "agent_id": string;
          "created_at": string;
          "id": string;
          "lead_id": string;
          "occurred_at": string;
          "type": string;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "created_at"?: string;
          "id"?: string;
          "lead_id": string;
          "occurred_at"?: string;
          "type": string;
        };
        Update: {
          "agent_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "lead_id"?: string;
          "occurred_at"?: string;
          "type"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "lead_activities_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_activities_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_activities_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_assignments": {
        Row: {
          "assigned_by": string | null;
          "created_at": string;
          "from_agent_id": string | null;
          "id": string;
          "recruiting_lead_id": string | null;
          "sales_lead_id": string | null;
          "to_agent_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "assigned_by"?: string | null;
          "created_at"?: string;
          "from_agent_id"?: string | null;
          "id"?: string;
          "recruiting_lead_id"?: string | null;
          "sales_lead_id"?: string | null;
          "to_agent_id"?: string | null;
        };
        Update: {
          "assigned_by"?: string | null;
          "created_at"?: string;
          "from_agent_id"?: string | null;
          "id"?: string;
          "recruiting_lead_id"?: string | null;
          "sales_lead_id"?: string | null;
          "to_agent_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "lead_assignments_from_agent_id_fkey";
            columns: ["from_agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_from_agent_id_fkey";
            columns: ["from_agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "lead_assignments_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
          {
            foreignKeyName: "lead_assignments_sales_lead_id_fkey";
            columns: ["sales_lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_to_agent_id_fkey";
            columns: ["to_agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_assignments_to_agent_id_fkey";
            columns: ["to_agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_demographics": {
        Row: {
          "annual_income": number | null;
          "beneficiary_name": string | null;
          "children": number | null;
          "created_at": string;
          "date_of_birth": string | null;
          "employer": string | null;
          "lead_id": string;
          "marital_status": string | null;
          "notes": string | null;
          "occupation": string | null;
          "spouse_name": string | null;
          "tobacco_user": boolean | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "annual_income"?: number | null;
          "beneficiary_name"?: string | null;
          "children"?: number | null;
          "created_at"?: string;
          "date_of_birth"?: string | null;
          "employer"?: string | null;
          "lead_id": string;
          "marital_status"?: string | null;
          "notes"?: string | null;
          "occupation"?: string | null;
          "spouse_name"?: string | null;
          "tobacco_user"?: boolean | null;
          "updated_at"?: string;
        };
        Update: {
          "annual_income"?: number | null;
          "beneficiary_name"?: string | null;
          "children"?: number | null;
          "created_at"?: string;
          "date_of_birth"?: string | null;
          "employer"?: string | null;
          "lead_id"?: string;
          "marital_status"?: string | null;
          "notes"?: string | null;
          "occupation"?: string | null;
          "spouse_name"?: string | null;
          "tobacco_user"?: boolean | null;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "lead_demographics_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: true;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_metrics": {
        Row: {
          "annual_premium": number;
          "created_at": string;
          "last_activity_at": string | null;
          "lead_id": string;
          "presentations_paused": number;
          "presentations_resumed": number;
          "presentations_started": number;
          "presentations_submitted": number;
          "referrals": number;
          "sales": number;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "annual_premium"?: number;
          "created_at"?: string;
          "last_activity_at"?: string | null;
          "lead_id": string;
          "presentations_paused"?: number;
          "presentations_resumed"?: number;
          "presentations_started"?: number;
          "presentations_submitted"?: number;
          "referrals"?: number;
          "sales"?: number;
          "updated_at"?: string;
        };
        Update: {
          "annual_premium"?: number;
          "created_at"?: string;
          "last_activity_at"?: string | null;
          "lead_id"?: string;
          "presentations_paused"?: number;
          "presentations_resumed"?: number;
          "presentations_started"?: number;
          "presentations_submitted"?: number;
          "referrals"?: number;
          "sales"?: number;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "lead_metrics_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: true;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_presentations": {
        Row: {
          "agent_id": string;
          "client_submission_id": string | null;
          "created_at": string;
          "id": string;
          "lead_id": string;
          "submitted_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "client_submission_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "lead_id": string;
          "submitted_at"?: string;
        };
        Update: {
          "agent_id"?: string;
          "client_submission_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "lead_id"?: string;
          "submitted_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "lead_presentations_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_presentations_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_presentations_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_referrals": {
        Row: {
          "agent_id": string;
          "created_at": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "last_name": string | null;
          "lead_id": string;
          "notes": string | null;
          "phone": string;
          "position": number;
          "presentation_id": string;
          "relationship": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "created_at"?: string;
          "email"?: string | null;
          "first_name": string;
          "id"?: string;
          "last_name"?: string | null;
          "lead_id": string;
          "notes"?: string | null;
          "phone": string;
          "position"?: number;
          "presentation_id": string;
          "relationship"?: string | null;
        };
        Update: {
          "agent_id"?: string;
          "created_at"?: string;
          "email"?: string | null;
          "first_name"?: string;
          "id"?: string;
          "last_name"?: string | null;
          "lead_id"?: string;
          "notes"?: string | null;
          "phone"?: string;
          "position"?: number;
          "presentation_id"?: string;
          "relationship"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "lead_referrals_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_referrals_presentation_id_lead_id_agent_id_fkey";
            columns: ["presentation_id", "lead_id", "agent_id"];
            isOneToOne: false;
            referencedRelation: "lead_presentations";
            referencedColumns: ["id", "lead_id", "agent_id"];
          },
        ];
      };
      "lead_returns": {
        Row: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "distributed_at": string;
          "order_id": string;
          "reason": string;
          "recruiting_lead_id": string;
          "returned_by": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "distributed_at": string;
          "order_id": string;
          "reason": string;
          "recruiting_lead_id": string;
          "returned_by"?: string | null;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "distributed_at"?: string;
          "order_id"?: string;
          "reason"?: string;
          "recruiting_lead_id"?: string;
          "returned_by"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "lead_returns_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "greeting_list";
            referencedColumns: ["agency_id", "order_id"];
          },
          {
            foreignKeyName: "lead_returns_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_pace";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "lead_returns_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_orders";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "lead_returns_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "lead_returns_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "lead_returns_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_returns_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_returns_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "lead_returns_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "lead_sales": {
        Row: {
          "agent_id": string;
          "annual_premium": number;
          "carrier": string | null;
          "created_at": string;
          "effective_date": string | null;
          "face_amount": number | null;
          "id": string;
          "lead_id": string;
          "payment_frequency": string | null;
          "policy_number": string | null;
          "presentation_id": string;
          "product": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "annual_premium": number;
          "carrier"?: string | null;
          "created_at"?: string;
          "effective_date"?: string | null;
          "face_amount"?: number | null;
          "id"?: string;
          "lead_id": string;
          "payment_frequency"?: string | null;
          "policy_number"?: string | null;
          "presentation_id": string;
          "product": string;
          "updated_at"?: string;
        };
        Update: {
          "agent_id"?: string;
          "annual_premium"?: number;
          "carrier"?: string | null;
          "created_at"?: string;
          "effective_date"?: string | null;
          "face_amount"?: number | null;
          "id"?: string;
          "lead_id"?: string;
          "payment_frequency"?: string | null;
          "policy_number"?: string | null;
          "presentation_id"?: string;
          "product"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "lead_sales_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "lead_sales_presentation_id_lead_id_agent_id_fkey";
            columns: ["presentation_id", "lead_id", "agent_id"];
            isOneToOne: false;
            referencedRelation: "lead_presentations";
            referencedColumns: ["id", "lead_id", "agent_id"];
          },
        ];
      };
      "leads": {
        Row: {
          "address": string | null;
          "agency_id": string;
          "agent_id": string;
          "city": string | null;
          "created_at": string;
          "distribution_id": string | null;
          "email": string | null;
          "external_id": string | null;
          "first_name": string;
          "id": string;
          "language": string | null;
          "last_name": string | null;
          "phone": string;
          "phone_e164": string | null;
          "source": string;
          "stage": string;
          "state": string;
          "status": string;
          "type": string;
          "updated_at": string;
          "zip": string | null;
        };
        ComputedFields: never;
        Insert: {
          "address"?: string | null;
          "agency_id": string;
          "agent_id": string;
          "city"?: string | null;
          "created_at"?: string;
          "distribution_id"?: string | null;
          "email"?: string | null;
          "external_id"?: string | null;
          "first_name": string;
          "id"?: string;
          "language"?: string | null;
          "last_name"?: string | null;
          "phone": string;
          "phone_e164"?: string | null;
          "source"?: string;
          "stage"?: string;
          "state": string;
          "status"?: string;
          "type": string;
          "updated_at"?: string;
          "zip"?: string | null;
        };
        Update: {
          "address"?: string | null;
          "agency_id"?: string;
          "agent_id"?: string;
          "city"?: string | null;
          "created_at"?: string;
          "distribution_id"?: string | null;
          "email"?: string | null;
          "external_id"?: string | null;
          "first_name"?: string;
          "id"?: string;
          "language"?: string | null;
          "last_name"?: string | null;
          "phone"?: string;
          "phone_e164"?: string | null;
          "source"?: string;
          "stage"?: string;
          "state"?: string;
          "status"?: string;
          "type"?: string;
          "updated_at"?: string;
          "zip"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "media_copies": {
        Row: {
          "attempt": number;
          "content_type": string | null;
          "created_at": string;
          "due_at": string;
          "lease_until": string | null;
          "message_id": string;
          "path": string | null;
          "position": number;
          "queued_at": string;
          "reason": string | null;
          "state": string;
        };
        ComputedFields: never;
        Insert: {
          "attempt"?: number;
          "content_type"?: string | null;
          "created_at"?: string;
          "due_at"?: string;
          "lease_until"?: string | null;
          "message_id": string;
          "path"?: string | null;
          "position": number;
          "queued_at"?: string;
          "reason"?: string | null;
          "state"?: string;
        };
        Update: {
          "attempt"?: number;
          "content_type"?: string | null;
          "created_at"?: string;
          "due_at"?: string;
          "lease_until"?: string | null;
          "message_id"?: string;
          "path"?: string | null;
          "position"?: number;
          "queued_at"?: string;
          "reason"?: string | null;
          "state"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "media_copies_message_id_fkey";
            columns: ["message_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_messages";
            referencedColumns: ["id"];
          },
        ];
      };
      "operator_actions": {
        Row: {
          "action": string;
          "created_at": string;
          "done_by": string | null;
          "id": string;
          "subject": NonNullable<Json>;
          "user_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "action": string;
          "created_at"?: string;
          "done_by"?: string | null;
          "id"?: string;
          "subject": NonNullable<Json>;
          "user_id"?: string | null;
        };
        Update: {
          "action"?: string;
          "created_at"?: string;
          "done_by"?: string | null;
          "id"?: string;
          "subject"?: NonNullable<Json>;
          "user_id"?: string | null;
        };
        Relationships: [];
      };
      "operators": {
        Row: {
          "created_at": string;
          "user_id": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "user_id": string;
        };
        Update: {
          "created_at"?: string;
          "user_id"?: string;
        };
        Relationships: [];
      };
      "order_changes": {
        Row: {
          "after": NonNullable<Json>;
          "agency_id": string;
          "agent_id": string;
          "before": NonNullable<Json>;
          "created_at": string;
          "id": string;
          "order_id": string;
        };
        ComputedFields: never;
        Insert: {
          "after": NonNullable<Json>;
          "agency_id": string;
          "agent_id": string;
          "before": NonNullable<Json>;
          "created_at"?: string;
          "id"?: string;
          "order_id": string;
        };
        Update: {
          "after"?: NonNullable<Json>;
          "agency_id"?: string;
          "agent_id"?: string;
          "before"?: NonNullable<Json>;
          "created_at"?: string;
          "id"?: string;
          "order_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "order_changes_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "greeting_list";
            referencedColumns: ["agency_id", "order_id"];
          },
          {
            foreignKeyName: "order_changes_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_pace";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "order_changes_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_orders";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "order_changes_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "order_changes_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "push_subscriptions": {
        Row: {
          "agency_id": string;
          "agent_id": string;
          "auth": string;
          "created_at": string;
          "endpoint": string;
          "id": string;
          "last_used_at": string | null;
          "p256dh": string;
          "user_id": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id": string;
          "auth": string;
          "created_at"?: string;
          "endpoint": string;
          "id"?: string;
          "last_used_at"?: string | null;
          "p256dh": string;
          "user_id": string;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string;
          "auth"?: string;
          "created_at"?: string;
          "endpoint"?: string;
          "id"?: string;
          "last_used_at"?: string | null;
          "p256dh"?: string;
          "user_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "push_subscriptions_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "push_subscriptions_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "quick_replies": {
        Row: {
          "agency_id": string;
          "body": string;
          "created_at": string;
          "id": string;
          "shortcut": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "body": string;
          "created_at"?: string;
          "id"?: string;
          "shortcut": string;
          "updated_at"?: string;
        };
        Update: {
          "agency_id"?: string;
          "body"?: string;
          "created_at"?: string;
          "id"?: string;
          "shortcut"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "quick_replies_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "recruit_calls": {
        Row: {
          "agency_id": string;
          "agent_id": string;
          "created_at": string;
          "id": string;
          "outcome": string | null;
          "recruiting_lead_id": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id": string;
          "created_at"?: string;
          "id"?: string;
          "outcome"?: string | null;
          "recruiting_lead_id": string;
          "updated_at"?: string;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "outcome"?: string | null;
          "recruiting_lead_id"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recruit_calls_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_calls_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruit_calls_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruit_calls_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_calls_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_calls_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "recruit_calls_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "recruit_exports": {
        Row: {
          "agency_id": string;
          "agent_id": string;
          "created_at": string;
          "id": string;
          "recruits": number;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id": string;
          "created_at"?: string;
          "id"?: string;
          "recruits": number;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string;
          "created_at"?: string;
          "id"?: string;
          "recruits"?: number;
        };
        Relationships: [
          {
            foreignKeyName: "recruit_exports_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_exports_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruit_exports_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "recruit_notes": {
        Row: {
          "agent_id": string;
          "body": string;
          "created_at": string;
          "id": string;
          "recruiting_lead_id": string;
        };
        ComputedFields: never;
        Insert: {
          "agent_id": string;
          "body": string;
          "created_at"?: string;
          "id"?: string;
          "recruiting_lead_id": string;
        };
        Update: {
          "agent_id"?: string;
          "body"?: string;
          "created_at"?: string;
          "id"?: string;
          "recruiting_lead_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recruit_notes_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_notes_agent_id_fkey";
            columns: ["agent_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_notes_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_notes_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_notes_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "recruit_notes_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "recruit_stages": {
        Row: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "ended_at": string | null;
          "id": string;
          "recruiting_lead_id": string;
          "stage": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "ended_at"?: string | null;
          "id"?: string;
          "recruiting_lead_id": string;
          "stage": string;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "ended_at"?: string | null;
          "id"?: string;
          "recruiting_lead_id"?: string;
          "stage"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recruit_stages_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_stages_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruit_stages_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruit_stages_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_stages_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruit_stages_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "recruit_stages_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "recruiting_conversations": {
        Row: {
          "agency_id": string;
          "assigned_agent_id": string | null;
          "created_at": string;
          "due_since": string | null;
          "id": string;
          "last_message_at": string | null;
          "last_text_at": string;
          "recruit_phone": string;
          "recruiting_lead_id": string | null;
          "service_phone": string;
          "snoozed_until": string | null;
          "status": string;
          "updated_at": string;
          "waiting_since": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "assigned_agent_id"?: string | null;
          "created_at"?: string;
          "due_since"?: never;
          "id"?: string;
          "last_message_at"?: string | null;
          "last_text_at"?: string;
          "recruit_phone": string;
          "recruiting_lead_id"?: string | null;
          "service_phone": string;
          "snoozed_until"?: string | null;
          "status"?: string;
          "updated_at"?: string;
          "waiting_since"?: string | null;
        };
        Update: {
          "agency_id"?: string;
          "assigned_agent_id"?: string | null;
          "created_at"?: string;
          "due_since"?: never;
          "id"?: string;
          "last_message_at"?: string | null;
          "last_text_at"?: string;
          "recruit_phone"?: string;
          "recruiting_lead_id"?: string | null;
          "service_phone"?: string;
          "snoozed_until"?: string | null;
          "status"?: string;
          "updated_at"?: string;
          "waiting_since"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_conversations_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_conversations_assigned_agent_id_agency_id_fkey";
            columns: ["assigned_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_conversations_assigned_agent_id_agency_id_fkey";
            columns: ["assigned_agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_conversations_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_conversations_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_conversations_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "recruiting_conversations_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "recruiting_lead_duplicates": {
        Row: {
          "id": string;
          "lead_id": string;
          "reason": string;
          "received_at": string;
          "request_id": string | null;
          "vendor_id": string;
        };
        ComputedFields: never;
        Insert: {
          "id"?: string;
          "lead_id": string;
          "reason"?: string;
          "received_at"?: string;
          "request_id"?: string | null;
          "vendor_id": string;
        };
        Update: {
          "id"?: string;
          "lead_id"?: string;
          "reason"?: string;
          "received_at"?: string;
          "request_id"?: string | null;
          "vendor_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_lead_duplicates_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_lead_duplicates_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_lead_duplicates_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "recruiting_lead_duplicates_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
          {
            foreignKeyName: "recruiting_lead_duplicates_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "recruiting_leads": {
        Row: {
          "agency_id": string | null;
          "agent_id": string | null;
          "created_at": string;
          "distributed_at": string | null;
          "distribution": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "last_name": string | null;
          "order_id": string | null;
          "phone": string | null;
          "received_via": string | null;
          "request_id": string | null;
          "resume_path": string | null;
          "state": string | null;
          "updated_at": string;
          "vendor_id": string;
          "vendor_lead_id": string | null;
          "vendor_metadata": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "created_at"?: string;
          "distributed_at"?: string | null;
          "distribution"?: string;
          "email"?: never;
          "first_name": string;
          "id"?: string;
          "last_name"?: never;
          "order_id"?: string | null;
          "phone"?: never;
          "received_via"?: string | null;
          "request_id"?: string | null;
          "resume_path"?: string | null;
          "state"?: never;
          "updated_at"?: string;
          "vendor_id": string;
          "vendor_lead_id"?: string | null;
          "vendor_metadata"?: NonNullable<Json>;
        };
        Update: {
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "created_at"?: string;
          "distributed_at"?: string | null;
          "distribution"?: string;
          "email"?: never;
          "first_name"?: string;
          "id"?: string;
          "last_name"?: never;
          "order_id"?: string | null;
          "phone"?: never;
          "received_via"?: string | null;
          "request_id"?: string | null;
          "resume_path"?: string | null;
          "state"?: never;
          "updated_at"?: string;
          "vendor_id"?: string;
          "vendor_lead_id"?: string | null;
          "vendor_metadata"?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_leads_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_leads_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "greeting_list";
            referencedColumns: ["agency_id", "order_id"];
          },
          {
            foreignKeyName: "recruiting_leads_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "order_pace";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "recruiting_leads_agency_id_order_id_fkey";
            columns: ["agency_id", "order_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_orders";
            referencedColumns: ["agency_id", "id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_leads_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "recruiting_message_events": {
        Row: {
          "error_code": string | null;
          "id": string;
          "provider_message_id": string;
          "provider_status": string | null;
          "received_at": string;
          "status": string | null;
        };
        ComputedFields: never;
        Insert: {
          "error_code"?: string | null;
          "id"?: string;
          "provider_message_id": string;
          "provider_status"?: string | null;
          "received_at"?: string;
          "status"?: string | null;
        };
        Update: {
          "error_code"?: string | null;
          "id"?: string;
          "provider_message_id"?: string;
          "provider_status"?: string | null;
          "received_at"?: string;
          "status"?: string | null;
        };
        Relationships: [];
      };
      "recruiting_messages": {
        Row: {
          "body": string | null;
          "conversation_id": string;
          "created_at": string;
          "delivered_at": string | null;
          "direction": string;
          "error_code": string | null;
          "failed_at": string | null;
          "heard": string | null;
          "id": string;
          "media": NonNullable<Json>;
          "provider_message_id": string | null;
          "sender_type": string;
          "sent_at": string | null;
          "sent_by": string | null;
          "status": string | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "body"?: string | null;
          "conversation_id": string;
          "created_at"?: string;
          "delivered_at"?: string | null;
          "direction": string;
          "error_code"?: string | null;
          "failed_at"?: string | null;
          "heard"?: string | null;
          "id"?: string;
          "media"?: NonNullable<Json>;
          "provider_message_id"?: string | null;
          "sender_type": string;
          "sent_at"?: string | null;
          "sent_by"?: string | null;
          "status"?: string | null;
          "updated_at"?: string;
        };
        Update: {
          "body"?: string | null;
          "conversation_id"?: string;
          "created_at"?: string;
          "delivered_at"?: string | null;
          "direction"?: string;
          "error_code"?: string | null;
          "failed_at"?: string | null;
          "heard"?: string | null;
          "id"?: string;
          "media"?: NonNullable<Json>;
          "provider_message_id"?: string | null;
          "sender_type"?: string;
          "sent_at"?: string | null;
          "sent_by"?: string | null;
          "status"?: string | null;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_messages_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
        ];
      };
      "recruiting_orders": {
        Row: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "daily_cap": number | null;
          "ends_at": string | null;
          "filled": number;
          "greeting_template": string | null;
          "id": string;
          "priority": number;
          "quantity": number;
          "starts_at": string | null;
          "states": (string)[] | null;
          "status": string;
          "updated_at": string;
          "vendor_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "daily_cap"?: number | null;
          "ends_at"?: string | null;
          "filled"?: number;
          "greeting_template"?: string | null;
          "id"?: string;
          "priority"?: number;
          "quantity": number;
          "starts_at"?: string | null;
          "states"?: (string)[] | null;
          "status"?: string;
          "updated_at"?: string;
          "vendor_id"?: string | null;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "daily_cap"?: number | null;
          "ends_at"?: string | null;
          "filled"?: number;
          "greeting_template"?: string | null;
          "id"?: string;
          "priority"?: number;
          "quantity"?: number;
          "starts_at"?: string | null;
          "states"?: (string)[] | null;
          "status"?: string;
          "updated_at"?: string;
          "vendor_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_orders_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_orders_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_orders_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_orders_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "rejected_deliveries": {
        Row: {
          "code": string;
          "context": NonNullable<Json>;
          "id": string;
          "lead_id": string | null;
          "payload": Json | null;
          "payload_bytes": number;
          "payload_text": string | null;
          "reason": string;
          "received_at": string;
          "request_id": string;
          "resolved_at": string | null;
          "route": string;
          "row": number | null;
          "status": string;
          "stored_bytes": number;
          "vendor_id": string | null;
          "vendor_lead_id": string | null;
        };
        ComputedFields: never;
        Insert: {
          "code": string;
          "context"?: NonNullable<Json>;
          "id"?: string;
          "lead_id"?: string | null;
          "payload"?: Json | null;
          "payload_bytes": number;
          "payload_text"?: string | null;
          "reason": string;
          "received_at"?: string;
          "request_id": string;
          "resolved_at"?: string | null;
          "route": string;
          "row"?: number | null;
          "status"?: string;
          "stored_bytes"?: never;
          "vendor_id"?: string | null;
          "vendor_lead_id"?: string | null;
        };
        Update: {
          "code"?: string;
          "context"?: NonNullable<Json>;
          "id"?: string;
          "lead_id"?: string | null;
          "payload"?: Json | null;
          "payload_bytes"?: number;
          "payload_text"?: string | null;
          "reason"?: string;
          "received_at"?: string;
          "request_id"?: string;
          "resolved_at"?: string | null;
          "route"?: string;
          "row"?: number | null;
          "status"?: string;
          "stored_bytes"?: never;
          "vendor_id"?: string | null;
          "vendor_lead_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "rejected_deliveries_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "repeat_rules": {
        Row: {
          "action": string;
          "agency_id": string | null;
          "created_at": string;
          "id": string;
          "match": (string)[];
          "rank": number;
          "updated_at": string;
          "vendor_id": string | null;
          "within": string;
        };
        ComputedFields: never;
        Insert: {
          "action": string;
          "agency_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "match": (string)[];
          "rank"?: never;
          "updated_at"?: string;
          "vendor_id"?: string | null;
          "within": string;
        };
        Update: {
          "action"?: string;
          "agency_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "match"?: (string)[];
          "rank"?: never;
          "updated_at"?: string;
          "vendor_id"?: string | null;
          "within"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "repeat_rules_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "repeat_rules_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "screening_answers": {
        Row: {
          "answered_at": string;
          "created_at": string;
          "lead_id": string;
          "question": string;
          "said": string;
          "value": NonNullable<Json>;
        };
        ComputedFields: never;
        Insert: {
          "answered_at"?: string;
          "created_at"?: string;
          "lead_id": string;
          "question": string;
          "said": string;
          "value": NonNullable<Json>;
        };
        Update: {
          "answered_at"?: string;
          "created_at"?: string;
          "lead_id"?: string;
          "question"?: string;
          "said"?: string;
          "value"?: NonNullable<Json>;
        };
        Relationships: [
          {
            foreignKeyName: "screening_answers_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "screening_answers_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "screening_answers_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "screening_answers_lead_id_fkey";
            columns: ["lead_id"];
            isOneToOne: false;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "service_numbers": {
        Row: {
          "agency_id": string;
          "busy_until": string;
          "created_at": string;
          "messaging_service_sid": string | null;
          "paused_reason": string | null;
          "phone": string;
          "segments_per_second": number;
          "status": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "busy_until"?: string;
          "created_at"?: string;
          "messaging_service_sid"?: string | null;
          "paused_reason"?: string | null;
          "phone": string;
          "segments_per_second"?: number;
          "status"?: string;
          "updated_at"?: string;
        };
        Update: {
          "agency_id"?: string;
          "busy_until"?: string;
          "created_at"?: string;
          "messaging_service_sid"?: string | null;
          "paused_reason"?: string | null;
          "phone"?: string;
          "segments_per_second"?: number;
          "status"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "service_numbers_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "skipped_greetings": {
        Row: {
          "agency_id": string;
          "created_at": string;
          "reason": string;
          "recruiting_lead_id": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "created_at"?: string;
          "reason": string;
          "recruiting_lead_id": string;
        };
        Update: {
          "agency_id"?: string;
          "created_at"?: string;
          "reason"?: string;
          "recruiting_lead_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "skipped_greetings_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "skipped_greetings_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "recruit_rows";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "skipped_greetings_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_leads";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "skipped_greetings_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "screening_answer_list";
            referencedColumns: ["lead_id"];
          },
          {
            foreignKeyName: "skipped_greetings_recruiting_lead_id_fkey";
            columns: ["recruiting_lead_id"];
            isOneToOne: true;
            referencedRelation: "waiting_texts";
            referencedColumns: ["recruiting_lead_id"];
          },
        ];
      };
      "suppressions": {
        Row: {
          "created_at": string;
          "ends_at": string | null;
          "kind": string;
          "reason": string;
          "source": string;
          "value": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "ends_at"?: string | null;
          "kind": string;
          "reason": string;
          "source": string;
          "value": string;
        };
        Update: {
          "created_at"?: string;
          "ends_at"?: string | null;
          "kind"?: string;
          "reason"?: string;
          "source"?: string;
          "value"?: string;
        };
        Relationships: [];
      };
      "text_consent_events": {
        Row: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "id": string;
          "message_id": string | null;
          "occurred_at": string;
          "phone": string;
          "reason": string | null;
          "source": string;
          "state": string;
          "words": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "message_id"?: string | null;
          "occurred_at"?: string;
          "phone": string;
          "reason"?: string | null;
          "source": string;
          "state": string;
          "words"?: string | null;
        };
        Update: {
          "agency_id"?: string;
          "agent_id"?: string | null;
          "created_at"?: string;
          "id"?: string;
          "message_id"?: string | null;
          "occurred_at"?: string;
          "phone"?: string;
          "reason"?: string | null;
          "source"?: string;
          "state"?: string;
          "words"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "text_consent_events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "text_consent_events_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "text_consent_events_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "text_consents": {
        Row: {
          "agency_id": string;
          "changed_at": string;
          "created_at": string;
          "phone": string;
          "source": string;
          "state": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id": string;
          "changed_at"?: string;
          "created_at"?: string;
          "phone": string;
          "source": string;
          "state": string;
        };
        Update: {
          "agency_id"?: string;
          "changed_at"?: string;
          "created_at"?: string;
          "phone"?: string;
          "source"?: string;
          "state"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "text_consents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "text_outbox": {
        Row: {
          "accepted_at": string | null;
          "attempt": number;
          "attempted_at": string | null;
          "claim": number;
          "client_message_id": string | null;
          "conversation_id": string;
          "created_at": string;
          "due_at": string;
          "first_due_at": string;
          "hands_over": boolean;
          "kind": string;
          "late_at": string | null;
          "lease_until": string | null;
          "lookups": number;
          "message_id": string;
          "ordinal": number;
          "priority": number;
          "reason": string | null;
          "resends": number;
          "retried_at": string | null;
          "segments": number;
          "service_phone": string;
          "state": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "accepted_at"?: string | null;
          "attempt"?: number;
          "attempted_at"?: string | null;
          "claim"?: number;
          "client_message_id"?: string | null;
          "conversation_id": string;
          "created_at"?: string;
          "due_at"?: string;
          "first_due_at": string;
          "hands_over"?: boolean;
          "kind": string;
          "late_at"?: string | null;
          "lease_until"?: string | null;
          "lookups"?: number;
          "message_id": string;
          "ordinal"?: never;
          "priority"?: never;
          "reason"?: string | null;
          "resends"?: number;
          "retried_at"?: string | null;
          "segments": number;
          "service_phone": string;
          "state"?: string;
          "updated_at"?: string;
        };
        Update: {
          "accepted_at"?: string | null;
          "attempt"?: number;
          "attempted_at"?: string | null;
          "claim"?: number;
          "client_message_id"?: string | null;
          "conversation_id"?: string;
          "created_at"?: string;
          "due_at"?: string;
          "first_due_at"?: string;
          "hands_over"?: boolean;
          "kind"?: string;
          "late_at"?: string | null;
          "lease_until"?: string | null;
          "lookups"?: number;
          "message_id"?: string;
          "ordinal"?: never;
          "priority"?: never;
          "reason"?: string | null;
          "resends"?: number;
          "retried_at"?: string | null;
          "segments"?: number;
          "service_phone"?: string;
          "state"?: string;
          "updated_at"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "text_outbox_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: false;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "text_outbox_message_id_fkey";
            columns: ["message_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_messages";
            referencedColumns: ["id"];
          },
        ];
      };
      "texting_closures": {
        Row: {
          "created_at": string;
          "ends_on": string | null;
          "id": string;
          "source": string;
          "starts_on": string;
          "state": string | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "ends_on"?: string | null;
          "id"?: string;
          "source": string;
          "starts_on": string;
          "state"?: string | null;
          "updated_at"?: string;
        };
        Update: {
          "created_at"?: string;
          "ends_on"?: string | null;
          "id"?: string;
          "source"?: string;
          "starts_on"?: string;
          "state"?: string | null;
          "updated_at"?: string;
        };
        Relationships: [];
      };
      "texting_hours": {
        Row: {
          "closes": string;
          "created_at": string;
          "day_of_week": number | null;
          "id": string;
          "law_closes": string | null;
          "law_opens": string | null;
          "law_source": string | null;
          "opens": string;
          "source": string;
          "state": string | null;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "closes": string;
          "created_at"?: string;
          "day_of_week"?: number | null;
          "id"?: string;
          "law_closes"?: string | null;
          "law_opens"?: string | null;
          "law_source"?: string | null;
          "opens": string;
          "source": string;
          "state"?: string | null;
          "updated_at"?: string;
        };
        Update: {
          "closes"?: string;
          "created_at"?: string;
          "day_of_week"?: number | null;
          "id"?: string;
          "law_closes"?: string | null;
          "law_opens"?: string | null;
          "law_source"?: string | null;
          "opens"?: string;
          "source"?: string;
          "state"?: string | null;
          "updated_at"?: string;
        };
        Relationships: [];
      };
      "unmatched_texts": {
        Row: {
          "body": string | null;
          "consent": string | null;
          "copies_media": boolean;
          "id": string;
          "media": NonNullable<Json>;
          "message_sid": string | null;
          "opt_out_type": string | null;
          "received_at": string;
          "recruit_phone": string | null;
          "service_phone": string | null;
        };
        ComputedFields: never;
        Insert: {
          "body"?: string | null;
          "consent"?: never;
          "copies_media"?: boolean;
          "id"?: string;
          "media"?: NonNullable<Json>;
          "message_sid"?: string | null;
          "opt_out_type"?: string | null;
          "received_at"?: string;
          "recruit_phone"?: string | null;
          "service_phone"?: string | null;
        };
        Update: {
          "body"?: string | null;
          "consent"?: never;
          "copies_media"?: boolean;
          "id"?: string;
          "media"?: NonNullable<Json>;
          "message_sid"?: string | null;
          "opt_out_type"?: string | null;
          "received_at"?: string;
          "recruit_phone"?: string | null;
          "service_phone"?: string | null;
        };
        Relationships: [];
      };
      "vendor_api_keys": {
        Row: {
          "created_at": string;
          "expires_at": string | null;
          "id": string;
          "key_hash": string;
          "key_prefix": string;
          "label": string | null;
          "last_used_at": string | null;
          "revoked_at": string | null;
          "updated_at": string;
          "vendor_id": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "expires_at"?: string | null;
          "id"?: string;
          "key_hash": string;
          "key_prefix": string;
          "label"?: string | null;
          "last_used_at"?: string | null;
          "revoked_at"?: string | null;
          "updated_at"?: string;
          "vendor_id": string;
        };
        Update: {
          "created_at"?: string;
          "expires_at"?: string | null;
          "id"?: string;
          "key_hash"?: string;
          "key_prefix"?: string;
          "label"?: string | null;
          "last_used_at"?: string | null;
          "revoked_at"?: string | null;
          "updated_at"?: string;
          "vendor_id"?: string;
        };
        Relationships: [
          {
            foreignKeyName: "vendor_api_keys_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "vendors": {
        Row: {
          "created_at": string;
          "has_text_consent": boolean;
          "id": string;
          "is_active": boolean;
          "name": string;
          "parser": string | null;
          "parser_config": NonNullable<Json>;
          "rate_limit": number | null;
          "silent_after": string | null;
          "slug": string;
          "updated_at": string;
          "webhook_config": NonNullable<Json>;
          "webhook_scheme": Database["public"]["Enums"]["webhook_scheme"] | null;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string;
          "has_text_consent"?: boolean;
          "id"?: string;
          "is_active"?: boolean;
          "name": string;
          "parser"?: string | null;
          "parser_config"?: NonNullable<Json>;
          "rate_limit"?: number | null;
          "silent_after"?: string | null;
          "slug": string;
          "updated_at"?: string;
          "webhook_config"?: NonNullable<Json>;
          "webhook_scheme"?: Database["public"]["Enums"]["webhook_scheme"] | null;
        };
        Update: {
          "created_at"?: string;
          "has_text_consent"?: boolean;
          "id"?: string;
          "is_active"?: boolean;
          "name"?: string;
          "parser"?: string | null;
          "parser_config"?: NonNullable<Json>;
          "rate_limit"?: number | null;
          "silent_after"?: string | null;
          "slug"?: string;
          "updated_at"?: string;
          "webhook_config"?: NonNullable<Json>;
          "webhook_scheme"?: Database["public"]["Enums"]["webhook_scheme"] | null;
        };
        Relationships: [];
      };
    };
    Views: {
      "agency_change_list": {
        Row: {
          "action": string;
          "after": NonNullable<Json>;
          "agency_id": string;
          "agent_id": string | null;
          "before": NonNullable<Json>;
          "changed_by": string;
          "created_at": string;
          "id": string;
          "subject": string | null;
          "subject_id": string;
        };
        ComputedFields: never;
        Insert: {
          "action"?: string | null;
          "after"?: Json | null;
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "before"?: Json | null;
          "changed_by"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "subject"?: never;
          "subject_id"?: string | null;
        };
        Update: {
          "action"?: string | null;
          "after"?: Json | null;
          "agency_id"?: string | null;
          "agent_id"?: string | null;
          "before"?: Json | null;
          "changed_by"?: string | null;
          "created_at"?: string | null;
          "id"?: string | null;
          "subject"?: never;
          "subject_id"?: string | null;
        };
        Relationships: [];
      };
      "agency_list": {
        Row: {
          "active_agents": number | null;
          "closes_at": string;
          "created_at": string;
          "destinations": number | null;
          "filled": number | null;
          "has_bot": boolean | null;
          "hours": string | null;
          "id": string;
          "name": string;
          "numbers": number | null;
          "open_orders": number | null;
          "opens_at": string;
          "paused_numbers": number | null;
          "quantity": number | null;
          "timezone": string;
          "waiting": number | null;
        };
        ComputedFields: never;
        Insert: {
          "active_agents"?: never;
          "closes_at"?: string | null;
          "created_at"?: string | null;
          "destinations"?: never;
          "filled"?: never;
          "has_bot"?: never;
          "hours"?: never;
          "id"?: string | null;
          "name"?: string | null;
          "numbers"?: never;
          "open_orders"?: never;
          "opens_at"?: string | null;
          "paused_numbers"?: never;
          "quantity"?: never;
          "timezone"?: string | null;
          "waiting"?: never;
        };
        Update: {
          "active_agents"?: never;
          "closes_at"?: string | null;
          "created_at"?: string | null;
          "destinations"?: never;
          "filled"?: never;
          "has_bot"?: never;
          "hours"?: never;
          "id"?: string | null;
          "name"?: string | null;
          "numbers"?: never;
          "open_orders"?: never;
          "opens_at"?: string | null;
          "paused_numbers"?: never;
          "quantity"?: never;
          "timezone"?: string | null;
          "waiting"?: never;
        };
        Relationships: [];
      };
      "agent_list": {
        Row: {
          "accepts_recruits": boolean;
          "agency": string;
          "agency_id": string;
          "agent": string | null;
          "away_until": string | null;
          "away_until_time": string | null;
          "email": string | null;
          "first_name": string;
          "id": string;
          "is_active": boolean;
          "last_assigned_at": string | null;
          "last_name": string | null;
          "login": string | null;
          "mail_about": (string)[];
          "phone": string | null;
          "push_browsers": number | null;
          "role": string;
          "user_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "alert_list": {
        Row: {
          "advice": string | null;
          "agency_id": string | null;
          "command": string | null;
          "details": NonNullable<Json>;
          "id": string;
          "kind": string;
          "link": string | null;
          "link_label": string | null;
          "name": string | null;
          "opened_at": string;
          "problem": string | null;
          "resolved_at": string | null;
          "seen_at": string;
          "severity": number;
          "since": string | null;
          "state": string;
          "subject": string;
          "title": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "bot_script_list": {
        Row: {
          "agency_id": string;
          "id": string;
          "published_at": string;
          "script": Json | null;
          "version": number;
        };
        ComputedFields: never;
        Insert: {
          "agency_id"?: string | null;
          "id"?: string | null;
          "published_at"?: string | null;
          "script"?: Json | null;
          "version"?: number | null;
        };
        Update: {
          "agency_id"?: string | null;
          "id"?: string | null;
          "published_at"?: string | null;
          "script"?: Json | null;
          "version"?: number | null;
        };
        Relationships: [];
      };
      "bot_session_list": {
        Row: {
          "agency_id": string;
          "answers": NonNullable<Json>;
          "asked_at": string | null;
          "conversation_id": string;
          "created_at": string;
          "name": string | null;
          "question": string;
          "reason": string | null;
          "recruit_phone": string;
          "script": number;
          "state": string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "bot_scripts_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "bot_sessions_conversation_id_fkey";
            columns: ["conversation_id"];
            isOneToOne: true;
            referencedRelation: "recruiting_conversations";
            referencedColumns: ["id"];
          },
        ];
      };
      "consent_event_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "created_at": string;
          "id": string;
          "manager": string | null;
          "message_id": string | null;
          "occurred_at": string;
          "phone": string;
          "reason": string | null;
          "source": string;
          "state": string;
          "words": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "text_consent_events_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "consent_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "changed_at": string;
          "phone": string;
          "source": string;
          "state": string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "text_consents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "delivery_list": {
        Row: {
          "code": string;
          "id": string;
          "lead_id": string | null;
          "payload_bytes": number;
          "payload_kept": string | null;
          "reason": string;
          "received_at": string;
          "request_id": string;
          "resolved_at": string | null;
          "route": string;
          "row": number | null;
          "status": string;
          "vendor": string | null;
          "vendor_id": string | null;
          "vendor_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "delivery_reason_list": {
        Row: {
          "code": string;
          "deleted_in_7_days": number | null;
          "deliveries": number | null;
          "first_at": string | null;
          "first_deleted_at": string | null;
          "id": string | null;
          "last_at": string | null;
          "reason": string;
          "sends": (string)[] | null;
          "vendor": string | null;
          "vendor_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "destination_list": {
        Row: {
          "accepted_when": string | null;
          "address": string | null;
          "agency": string | null;
          "agency_id": string | null;
          "created_at": string;
          "events": (string)[];
          "failed_24h": number | null;
          "failing_since": string | null;
          "failures": number;
          "headers": (string)[] | null;
          "id": string;
          "is_on": boolean;
          "kind": string;
          "last_delivered_at": string | null;
          "last_failure": string | null;
          "max_at_once": number;
          "name": string;
          "off_reason": string | null;
          "order_id": string | null;
          "place": string | null;
          "rejected_when": string | null;
          "returns_rejected": boolean;
          "template": string | null;
          "url": string | null;
          "waiting": number | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "dispatch_list": {
        Row: {
          "agency_id": string | null;
          "attempt": number;
          "created_at": string;
          "delivered_at": string | null;
          "destination": string;
          "destination_id": string;
          "due_at": string;
          "event": string;
          "excerpt": string | null;
          "first_name": string | null;
          "id": string;
          "lead_id": string | null;
          "reason": string | null;
          "seq": number;
          "state": string;
          "status": number | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "duplicate_list": {
        Row: {
          "first_received": string;
          "id": string;
          "lead_id": string;
          "received_at": string;
          "request_id": string | null;
          "vendor": string;
          "vendor_id": string;
          "vendor_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "expiring_key_list": {
        Row: {
          "days_left": number | null;
          "expires": string | null;
          "key": string | null;
          "label": string | null;
          "vendor": string | null;
          "vendor_id": string | null;
          "what": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "greeting_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "created_at": string;
          "greets": string | null;
          "numbers": number | null;
          "order_id": string;
          "preview": string | null;
          "segments": number | null;
          "status": string;
          "template": string | null;
          "vendors": (string)[] | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "recruiting_orders_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "hours_list": {
        Row: {
          "closes": string | null;
          "day": number | null;
          "days": string | null;
          "ends_on": string | null;
          "hours": string | null;
          "opens": string | null;
          "source": string | null;
          "starts_on": string | null;
          "state": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "inbox": {
        Row: {
          "agency_id": string;
          "agent": string | null;
          "agent_id": string | null;
          "assigned_agent_id": string | null;
          "due_since": string | null;
          "email": string | null;
          "has_bot": boolean | null;
          "id": string;
          "is_due": boolean | null;
          "is_failed": boolean | null;
          "is_held": boolean | null;
          "is_opted_out": boolean | null;
          "is_unread": boolean | null;
          "last_author": string | null;
          "last_body": string | null;
          "last_direction": string | null;
          "last_media": number | null;
          "last_sender": string | null;
          "last_sent_by": string | null;
          "last_text_at": string;
          "name": string | null;
          "recruit_phone": string;
          "recruiting_lead_id": string | null;
          "service_phone": string;
          "snoozed_until": string | null;
          "state": string | null;
          "status": string;
          "waiting_since": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "inbox_counts": {
        Row: {
          "agency_id": string;
          "bot": number | null;
          "failed": number | null;
          "held": number | null;
          "mine": number | null;
          "nobody": number | null;
          "total": number | null;
          "waiting": number | null;
          "waiting_for_me": number | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "job_list": {
        Row: {
          "ended_at": string | null;
          "job": string;
          "started_at": string;
        };
        ComputedFields: never;
        Insert: {
          "ended_at"?: string | null;
          "job"?: string | null;
          "started_at"?: string | null;
        };
        Update: {
          "ended_at"?: string | null;
          "job"?: string | null;
          "started_at"?: string | null;
        };
        Relationships: [];
      };
      "key_list": {
        Row: {
          "created": string;
          "expires": string | null;
          "key": string;
          "label": string | null;
          "last_used": string | null;
          "revoked": string | null;
          "state": string | null;
          "vendor": string;
          "vendor_id": string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "vendor_api_keys_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "lead_list": {
        Row: {
          "agency": string | null;
          "agency_id": string | null;
          "agent": string | null;
          "agent_id": string | null;
          "distribution": string;
          "id": string;
          "name": string | null;
          "received": string;
          "state": string | null;
          "vendor": string;
          "vendor_id": string;
          "vendor_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "lead_stages": {
        Row: {
          "agency_id": string;
          "stage": string;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "mapping_list": {
        Row: {
          "is_active": boolean;
          "name": string;
          "parser_config": string | null;
          "vendor": string;
          "vendor_id": string;
          "version": string | null;
        };
        ComputedFields: never;
        Insert: {
          "is_active"?: boolean | null;
          "name"?: string | null;
          "parser_config"?: never;
          "vendor"?: string | null;
          "vendor_id"?: string | null;
          "version"?: never;
        };
        Update: {
          "is_active"?: boolean | null;
          "name"?: string | null;
          "parser_config"?: never;
          "vendor"?: string | null;
          "vendor_id"?: string | null;
          "version"?: never;
        };
        Relationships: [];
      };
      "number_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "conversations": number | null;
          "messaging_service_sid": string | null;
          "paused_reason": string | null;
          "phone": string;
          "segments_per_second": number | null;
          "status": string;
          "waiting": number | null;
          "waiting_since": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "operator_action_list": {
        Row: {
          "action": string;
          "agency": string | null;
          "agent": string | null;
          "created_at": string;
          "done_by": string | null;
          "email": string | null;
          "id": string;
          "operator": string | null;
          "subject": NonNullable<Json>;
          "user_id": string | null;
          "vendor": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "operator_counts": {
        Row: {
          "alerts": number | null;
          "deliveries": number | null;
          "leads": number | null;
          "recruits": number | null;
          "texts": number | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "order_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "agent": string | null;
          "agent_id": string | null;
          "created_at": string;
          "daily_cap": number | null;
          "ends_at": string | null;
          "filled": number;
          "full_in_days": number | null;
          "greeting_template": string | null;
          "id": string;
          "leads_7_days": number | null;
          "leads_today": number | null;
          "per_day": number | null;
          "priority": number;
          "quantity": number;
          "starts_at": string | null;
          "states": (string)[] | null;
          "status": string;
          "vendor": string | null;
          "vendor_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "order_pace": {
        Row: {
          "agency_id": string;
          "agent": string | null;
          "changes": Json | null;
          "created_at": string;
          "daily_cap": number | null;
          "ends_at": string | null;
          "filled": number;
          "full_in_days": number | null;
          "greeting_template": string | null;
          "has_greeting": boolean | null;
          "id": string;
          "leads_7_days": number | null;
          "leads_today": number | null;
          "per_day": number | null;
          "priority": number;
          "quantity": number;
          "starts_at": string | null;
          "states": (string)[] | null;
          "status": string;
          "vendor": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "recruiting_orders_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "outbox_list": {
        Row: {
          "agency": string | null;
          "agency_id": string | null;
          "attempt": number | null;
          "cause": string | null;
          "created_at": string | null;
          "due_at": string | null;
          "from": string | null;
          "kind": string | null;
          "lead_id": string | null;
          "message_id": string | null;
          "number": string | null;
          "outbox_state": string | null;
          "paused_reason": string | null;
          "reason": string | null;
          "segments": number | null;
          "state": string | null;
          "states": (string)[] | null;
          "to": string | null;
          "why": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "quick_reply_list": {
        Row: {
          "agency_id": string;
          "body": string;
          "id": string;
          "shortcut": string;
          "updated_at": string;
        };
        ComputedFields: never;
        Insert: {
          "agency_id"?: string | null;
          "body"?: string | null;
          "id"?: string | null;
          "shortcut"?: string | null;
          "updated_at"?: string | null;
        };
        Update: {
          "agency_id"?: string | null;
          "body"?: string | null;
          "id"?: string | null;
          "shortcut"?: string | null;
          "updated_at"?: string | null;
        };
        Relationships: [];
      };
      "recruit_rows": {
        Row: {
          "agency_id": string | null;
          "agent": string | null;
          "agent_id": string | null;
          "applications": number | null;
          "asking": (number)[] | null;
          "by_agent": string | null;
          "by_name": string | null;
          "by_phone": string | null;
          "by_stage": number | null;
          "by_state": string | null;
          "by_text": string | null;
          "by_vendor": string | null;
          "consent": string | null;
          "conversation_id": string | null;
          "created_at": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "last_name": string | null;
          "last_text_at": string | null;
          "phone": string | null;
          "resume_path": string | null;
          "screening": string | null;
          "screening_answers": Json | null;
          "stage": string | null;
          "state": string | null;
          "unread": (string)[] | null;
          "vendor": string | null;
          "vendor_metadata": NonNullable<Json>;
          "waiting_since": string | null;
        };
        ComputedFields: never;
        Insert: {
          "agency_id"?: string | null;
          "agent"?: never;
          "agent_id"?: string | null;
          "applications"?: never;
          "asking"?: never;
          "by_agent"?: never;
          "by_name"?: never;
          "by_phone"?: never;
          "by_stage"?: never;
          "by_state"?: never;
          "by_text"?: never;
          "by_vendor"?: never;
          "consent"?: never;
          "conversation_id"?: never;
          "created_at"?: string | null;
          "email"?: string | null;
          "first_name"?: string | null;
          "id"?: string | null;
          "last_name"?: string | null;
          "last_text_at"?: never;
          "phone"?: string | null;
          "resume_path"?: string | null;
          "screening"?: never;
          "screening_answers"?: never;
          "stage"?: never;
          "state"?: string | null;
          "unread"?: never;
          "vendor"?: never;
          "vendor_metadata"?: Json | null;
          "waiting_since"?: never;
        };
        Update: {
          "agency_id"?: string | null;
          "agent"?: never;
          "agent_id"?: string | null;
          "applications"?: never;
          "asking"?: never;
          "by_agent"?: never;
          "by_name"?: never;
          "by_phone"?: never;
          "by_stage"?: never;
          "by_state"?: never;
          "by_text"?: never;
          "by_vendor"?: never;
          "consent"?: never;
          "conversation_id"?: never;
          "created_at"?: string | null;
          "email"?: string | null;
          "first_name"?: string | null;
          "id"?: string | null;
          "last_name"?: string | null;
          "last_text_at"?: never;
          "phone"?: string | null;
          "resume_path"?: string | null;
          "screening"?: never;
          "screening_answers"?: never;
          "stage"?: never;
          "state"?: string | null;
          "unread"?: never;
          "vendor"?: never;
          "vendor_metadata"?: Json | null;
          "waiting_since"?: never;
        };
        Relationships: [
          {
            foreignKeyName: "recruiting_leads_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "recruit_timeline": {
        Row: {
          "agent": string | null;
          "agent_id": string | null;
          "at": string | null;
          "details": Json | null;
          "id": string | null;
          "kind": string | null;
          "recruiting_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "refused_proof_list": {
        Row: {
          "first_at": string;
          "last_at": string;
          "reason": Database["public"]["Enums"]["proof_refusal"];
          "requests": number;
          "vendor": string;
          "vendor_id": string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "refused_proofs_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "repeat_rule_list": {
        Row: {
          "action": string;
          "agency": string | null;
          "agency_id": string | null;
          "id": string;
          "match": (string)[];
          "rank": number;
          "vendor": string | null;
          "vendor_id": string | null;
          "within": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "repeat_rules_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "repeat_rules_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
      "screening_answer_list": {
        Row: {
          "agency_id": string | null;
          "agent": string | null;
          "answered_at": string | null;
          "answers": Json | null;
          "email": string | null;
          "lead_id": string;
          "phone": string | null;
          "recruit": string | null;
          "vendor": string;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "recruiting_leads_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "suppression_list": {
        Row: {
          "created_at": string;
          "ends_at": string | null;
          "kind": string;
          "reason": string;
          "source": string;
          "state": string | null;
          "value": string;
        };
        ComputedFields: never;
        Insert: {
          "created_at"?: string | null;
          "ends_at"?: string | null;
          "kind"?: string | null;
          "reason"?: string | null;
          "source"?: string | null;
          "state"?: never;
          "value"?: string | null;
        };
        Update: {
          "created_at"?: string | null;
          "ends_at"?: string | null;
          "kind"?: string | null;
          "reason"?: string | null;
          "source"?: string | null;
          "state"?: never;
          "value"?: string | null;
        };
        Relationships: [];
      };
      "team": {
        Row: {
          "accepts_recruits": boolean;
          "agency_id": string;
          "first_name": string;
          "has_login": boolean | null;
          "id": string;
          "is_active": boolean;
          "last_name": string | null;
          "recruits_7_days": number | null;
          "role": string;
          "unread": number | null;
          "waiting": number | null;
          "waiting_since": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "agents_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
        ];
      };
      "texting_timeline": {
        Row: {
          "agent_id": string | null;
          "at": string | null;
          "details": Json | null;
          "id": string | null;
          "kind": string | null;
          "recruit_phone": string | null;
          "recruiting_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "unmatched_text_list": {
        Row: {
          "agency": string | null;
          "agency_id": string | null;
          "agent": string | null;
          "agent_id": string | null;
          "body": string | null;
          "from": string | null;
          "id": string;
          "lead_id": string | null;
          "media": number | null;
          "message_sid": string | null;
          "received_at": string;
          "recruit": string | null;
          "to": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "unsent_cause_list": {
        Row: {
          "agency": string | null;
          "cause": string | null;
          "since": string | null;
          "subject": string | null;
          "texts": number | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "vendor_list": {
        Row: {
          "active": boolean;
          "created": string;
          "expires": string | null;
          "keys": number | null;
          "last_used": string | null;
          "name": string;
          "parser": string | null;
          "rate_limit": number | null;
          "silent_after": string | null;
          "slug": string;
          "text_consent": boolean;
          "webhook": Database["public"]["Enums"]["webhook_scheme"] | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "vendor_name_list": {
        Row: {
          "id": string;
          "name": string;
          "slug": string;
        };
        ComputedFields: never;
        Insert: {
          "id"?: string | null;
          "name"?: string | null;
          "slug"?: string | null;
        };
        Update: {
          "id"?: string | null;
          "name"?: string | null;
          "slug"?: string | null;
        };
        Relationships: [];
      };
      "waiting_lead_list": {
        Row: {
          "distribution": string | null;
          "id": string | null;
          "name": string | null;
          "received": string | null;
          "state": string | null;
          "vendor": string;
          "vendor_id": string | null;
          "vendor_lead_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "waiting_recruit_list": {
        Row: {
          "agency": string;
          "agency_id": string;
          "agent": string | null;
          "agent_email": string | null;
          "agent_id": string | null;
          "conversation_id": string;
          "lead_id": string | null;
          "minutes": number | null;
          "phone": string;
          "recruit": string | null;
          "since": string | null;
          "status": string;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "waiting_texts": {
        Row: {
          "agency_id": string | null;
          "agent": string | null;
          "agent_id": string | null;
          "body": string | null;
          "consent": string | null;
          "id": string;
          "media": NonNullable<Json>;
          "name": string | null;
          "received_at": string;
          "recruit_phone": string | null;
          "recruiting_lead_id": string;
          "service_phone": string | null;
          "state": string | null;
        };
        ComputedFields: never;
        Relationships: [
          {
            foreignKeyName: "recruiting_leads_agency_id_fkey";
            columns: ["agency_id"];
            isOneToOne: false;
            referencedRelation: "agencies";
            referencedColumns: ["id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "agents";
            referencedColumns: ["id", "agency_id"];
          },
          {
            foreignKeyName: "recruiting_leads_agent_id_agency_id_fkey";
            columns: ["agent_id", "agency_id"];
            isOneToOne: false;
            referencedRelation: "team";
            referencedColumns: ["id", "agency_id"];
          },
        ];
      };
      "waiting_vendor_list": {
        Row: {
          "leads": number | null;
          "vendor": string;
          "vendor_id": string | null;
        };
        ComputedFields: never;
        Relationships: [];
      };
      "webhook_secret_list": {
        Row: {
          "created": string;
          "expires": string | null;
          "id": string;
          "kind": string;
          "label": string | null;
          "revoked": string | null;
          "state": string | null;
          "vendor_id": string;
        };
        ComputedFields: never;
        Insert: {
          "created"?: string | null;
          "expires"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "label"?: string | null;
          "revoked"?: string | null;
          "state"?: never;
          "vendor_id"?: string | null;
        };
        Update: {
          "created"?: string | null;
          "expires"?: string | null;
          "id"?: string | null;
          "kind"?: string | null;
          "label"?: string | null;
          "revoked"?: string | null;
          "state"?: never;
          "vendor_id"?: string | null;
        };
        Relationships: [
          {
            foreignKeyName: "vendor_webhook_secrets_vendor_id_fkey";
            columns: ["vendor_id"];
            isOneToOne: false;
            referencedRelation: "vendors";
            referencedColumns: ["id"];
          },
        ];
      };
    };
    Functions: {
      "abandon_recruiting_leads": { Args: { "lead_ids": (string)[] }; Returns: Json };
      "acknowledge_alert": {
        Args: { "alert_id": string };
        Returns: {
          "agency_id": string | null;
          "command": string | null;
          "details": NonNullable<Json>;
          "id": string;
          "kind": string;
          "link": string | null;
          "opened_at": string;
          "problem": string | null;
          "resolved_at": string | null;
          "seen_at": string;
          "state": string;
          "subject": string;
          "subject_name": string | null;
          "told_at": string | null;
        };
        SetofOptions: {
          from: "*";
          to: "alerts";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "add_lead_fetches": { Args: { "notices": Json; "request_id": string; "vendor_id": string }; Returns: Json };
      "add_note": { Args: { "body": string; "note_id"?: string; "recruiting_lead_id": string }; Returns: Json };
      "add_suppression": { Args: { "contact": string; "ends_at"?: string; "reason": string }; Returns: Json };
      "adopt_texts": { Args: { "lead_id"?: string; "recruit_phone": string; "service_phone"?: string }; Returns: Json };
      "agency_figures": { Args: { "days"?: number }; Returns: Json };
      "are_texts_due": { Args: Record<PropertyKey, never>; Returns: boolean };
      "ask_for_conversation": { Args: { "conversation_id": string }; Returns: Json };
      "assign_conversation": { Args: { "agent_id": string; "conversation_id": string }; Returns: Json };
      "assign_conversations": { Args: { "agent": string; "ids": (string)[] }; Returns: Json };
      "assign_leads": { Args: { "from_agent_id"?: string; "lead_id"?: string; "to_agent_id": string }; Returns: Json };
      "assign_recruits": { Args: { "agent": string; "ids": (string)[] }; Returns: Json };
      "authenticate_vendor": { Args: { "key_hash": string; "webhook"?: Json }; Returns: Json };
      "begin_operator_action": { Args: { "action": string; "subject": Json }; Returns: string };
      "begin_resume_upload": { Args: { "lead_id": string; "path": string }; Returns: Json };
      "cancel_text": { Args: { "message_id": string }; Returns: Json };
      "cancel_texts": { Args: { "message_ids": (string)[] }; Returns: number };
      "change_agency": {
        Args: { "agency_id": string; "changes": Json; "seen"?: Json };
        Returns: {
          "closes_at": string;
          "created_at": string;
          "id": string;
          "name": string;
          "opens_at": string;
          "timezone": string;
          "updated_at": string;
        };
        SetofOptions: {
          from: "*";
          to: "agencies";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "change_agent": {
        Args: { "agent_id": string; "changes": Json; "seen"?: Json };
        Returns: {
          "accepts_recruits": boolean;
          "agency_id": string;
          "away_until": string | null;
          "created_at": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "is_active": boolean;
          "last_assigned_at": string | null;
          "last_name": string | null;
          "mail_about": (string)[];
          "phone": string | null;
          "role": string;
          "updated_at": string;
          "user_id": string | null;
        };
        SetofOptions: {
          from: "*";
          to: "agents";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "change_order": {
        Args: { "changes": Json; "order_id": string; "seen"?: Json };
        Returns: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "daily_cap": number | null;
          "ends_at": string | null;
          "filled": number;
          "greeting_template": string | null;
          "id": string;
          "priority": number;
          "quantity": number;
          "starts_at": string | null;
          "states": (string)[] | null;
          "status": string;
          "updated_at": string;
          "vendor_id": string | null;
        };
        SetofOptions: {
          from: "*";
          to: "recruiting_orders";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "check_daily_counts": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "counted": number;
          "kept": number;
          "order_id": string;
          "starts_at": string;
        }[];
      };
      "claim_bot_turns": { Args: { "max": number }; Returns: Json };
      "claim_dispatches": {
        Args: { "alert_url_is_set": boolean; "can_mail": boolean; "can_push"?: boolean; "max": number };
        Returns: Json;
      };
      "claim_greetings": { Args: { "max": number }; Returns: Json };
      "claim_heartbeat": { Args: { "has_heartbeat": boolean }; Returns: boolean };
      "claim_lead_fetches": { Args: { "max": number }; Returns: Json };
      "claim_media_copies": { Args: { "max": number }; Returns: Json };
      "claim_take_overs": { Args: { "max": number }; Returns: Json };
      "claim_texts": { Args: { "max": number }; Returns: Json };
      "close_hours": {
        Args: { "source": string; "starts_on": string; "state": string; "until": string };
        Returns: {
          "created_at": string;
          "ends_on": string | null;
          "id": string;
          "source": string;
          "starts_on": string;
          "state": string | null;
          "updated_at": string;
        };
        SetofOptions: {
          from: "*";
          to: "texting_closures";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "complete_bot_turn": {
        Args: {
          "attempt": number;
          "conversation_id": string;
          "script_id": string;
          "step": Json;
          "texts": number;
          "version": number;
        };
        Returns: string;
      };
      "count_request": { Args: { "bucket": string; "per_minute": number }; Returns: Json };
      "count_vendor_days": {
        Args: { "days"?: number; "timezone"?: string };
        Returns: {
          "dates": (string)[];
          "leads": (number)[];
          "refused": (number)[];
          "vendor": string;
        }[];
      };
      "count_wanted_leads": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "states": Json;
          "vendor_id": string;
          "wanted": number;
        }[];
      };
      "create_order": {
        Args: { "agency_id": string; "settings": Json };
        Returns: {
          "agency_id": string;
          "agent_id": string | null;
          "created_at": string;
          "daily_cap": number | null;
          "ends_at": string | null;
          "filled": number;
          "greeting_template": string | null;
          "id": string;
          "priority": number;
          "quantity": number;
          "starts_at": string | null;
          "states": (string)[] | null;
          "status": string;
          "updated_at": string;
          "vendor_id": string | null;
        };
        SetofOptions: {
          from: "*";
          to: "recruiting_orders";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "create_vendor_api_key": {
        Args: { "expires_at"?: string; "label": string; "vendor_slug": string };
        Returns: string;
      };
      "create_vendor_webhook_secret": {
        Args: { "expires_at"?: string; "kind": string; "label": string; "secret": string; "vendor_slug": string };
        Returns: string;
      };
      "delete_quick_reply": { Args: { "quick_reply_id": string }; Returns: Json };
      "dismiss_deliveries": {
        Args: { "delivery_ids": (string)[] };
        Returns: {
          "id": string;
          "status": string;
          "was_open": boolean;
        }[];
      };
      "distribute_leads": {
        Args: { "max": number; "vendor_id"?: string };
        Returns: {
          "agency": string;
          "agent": string;
          "id": string;
          "name": string;
          "order_id": string;
          "state": string;
          "vendor": string;
        }[];
      };
      "distribute_named_leads": {
        Args: { "lead_ids": (string)[] };
        Returns: {
          "agency": string;
          "agent": string;
          "distribution": string;
          "id": string;
          "name": string;
          "order_id": string;
          "problem": string;
          "state": string;
          "vendor": string;
        }[];
      };
      "distribute_pending_leads": { Args: { "lead_ids": (string)[] }; Returns: Json };
      "distribute_waiting_leads": { Args: { "max": number; "vendor_id"?: string }; Returns: number };
      "erase_person": {
        Args: { "contact": string; "deleted_files"?: number; "deleted_sids"?: (string)[]; "never_again"?: boolean };
        Returns: Json;
      };
      "explain_lead": { Args: { "lead_id": string }; Returns: Json };
      "explain_order": { Args: { "order_id": string }; Returns: Json };
      "export_person": { Args: { "contact": string }; Returns: Json };
      "figure_list": {
        Args: { "day"?: string; "days"?: number; "figure": string; "order_id"?: string; "vendor_id"?: string };
        Returns: {
          "agent": string;
          "at": string;
          "conversation_id": string;
          "id": string;
          "minutes": number;
          "name": string;
          "phone": string;
          "recruiting_lead_id": string;
          "state": string;
        }[];
      };
      "fill_leads": {
        Args: { "leads": Json };
        Returns: {
          "agency_id": string | null;
          "agent_id": string | null;
          "created_at": string;
          "distributed_at": string | null;
          "distribution": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "last_name": string | null;
          "order_id": string | null;
          "phone": string | null;
          "received_via": string | null;
          "request_id": string | null;
          "resume_path": string | null;
          "state": string | null;
          "updated_at": string;
          "vendor_id": string;
          "vendor_lead_id": string | null;
          "vendor_metadata": NonNullable<Json>;
        }[];
        SetofOptions: {
          from: "*";
          to: "recruiting_leads";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      "find_double": { Args: { "id": string; "noun": string }; Returns: string };
      "find_lead": {
        Args: { "given": string };
        Returns: {
          "id": string;
          "kind": string;
          "name": string;
        }[];
      };
      "find_leads": {
        Args: { "max_each"?: number; "search": string };
        Returns: {
          "by_sender_id": boolean;
          "email": string;
          "id": string;
          "kind": string;
          "name": string;
          "phone": string;
          "received": string;
          "sender": string;
          "sender_id": string;
          "state": string;
        }[];
      };
      "find_named": {
        Args: { "agency_id"?: string; "given": string; "noun": string };
        Returns: {
          "id": string;
          "name": string;
        }[];
      };
      "find_person": {
        Args: { "contact": string };
        Returns: {
          "at": string;
          "detail": string;
          "id": string;
          "kind": string;
          "stays": boolean;
        }[];
      };
      "forget_resume_uploads": { Args: { "paths": (string)[] }; Returns: Json };
      "hand_back_to_bot": { Args: { "conversation_id": string }; Returns: Json };
      "hold_texts": { Args: Record<PropertyKey, never>; Returns: number };
      "identify_vendor": { Args: { "key_hash": string }; Returns: Json };
      "identify_webhook": { Args: { "slug": string }; Returns: Json };
      "import_leads": {
        Args: {
          "agency_id": string;
          "agent_id": string;
          "distribution_id": string;
          "idempotency"?: Json;
          "leads": Json;
        };
        Returns: Json;
      };
      "import_recruiting_leads": {
        Args: { "are_distributed"?: boolean; "import_id": string; "leads": Json; "vendor_id": string };
        Returns: Json;
      };
      "ingest_recruiting_lead_batch": {
        Args: { "idempotency"?: Json; "key_hash": string; "leads": Json; "request_id"?: string };
        Returns: Json;
      };
      "ingest_recruiting_leads": { Args: { "leads": Json }; Returns: Json };
      "invite_agent": { Args: { "agency_id": string; "person": Json; "user_id"?: string }; Returns: Json };
      "leads_to_reread": {
        Args: { "after"?: string; "max"?: number; "since"?: string; "vendor_id"?: string };
        Returns: {
          "agency_id": string | null;
          "agent_id": string | null;
          "created_at": string;
          "distributed_at": string | null;
          "distribution": string;
          "email": string | null;
          "first_name": string;
          "id": string;
          "last_name": string | null;
          "order_id": string | null;
          "phone": string | null;
          "received_via": string | null;
          "request_id": string | null;
          "resume_path": string | null;
          "state": string | null;
          "updated_at": string;
          "vendor_id": string;
          "vendor_lead_id": string | null;
          "vendor_metadata": NonNullable<Json>;
        }[];
        SetofOptions: {
          from: "*";
          to: "recruiting_leads";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      "leave_agent": { Args: { "agent_id": string; "to_agent_id"?: string }; Returns: Json };
      "left_over_resumes": { Args: Record<PropertyKey, never>; Returns: Json };
      "list_leads": {
        Args: {
          "after"?: string;
          "distributed_since"?: string;
          "distributed_until"?: string;
          "max_leads"?: number;
          "of_agency"?: string;
          "of_agent"?: string;
          "of_distribution"?: string;
          "of_order"?: string;
          "of_state"?: string;
          "of_vendor"?: string;
          "since"?: string;
          "timezone"?: string;
          "until"?: string;
        };
        Returns: {
          "agency": string;
          "agency_id": string;
          "agent": string;
          "agent_id": string;
          "distributed_at": string;
          "distribution": string;
          "email": string;
          "id": string;
          "name": string;
          "order_id": string;
          "phone": string;
          "received": string;
          "return_reason": string;
          "returned_at": string;
          "state": string;
          "vendor": string;
          "vendor_lead_id": string;
        }[];
      };
      "log_presentation_activity": {
        Args: { "agent_id": string; "idempotency"?: Json; "lead_id": string; "per_minute"?: number; "type": string };
        Returns: Json;
      };
      "mapping_samples": {
        Args: { "delivery_id"?: string; "vendor_id": string };
        Returns: {
          "id": string;
          "kind": string;
          "reason": string;
          "received_at": string;
          "status": string;
          "vendor_lead_id": string;
        }[];
      };
      "mark_read": { Args: { "notification_ids": (string)[] }; Returns: number };
      "match_leads": {
        Args: { "vendor_id": string; "vendor_lead_ids": (string)[] };
        Returns: {
          "delivery_id": string;
          "distribution": string;
          "lead_id": string;
          "reason": string;
          "received": string;
          "result": string;
          "vendor_lead_id": string;
        }[];
      };
      "no_reply_needed": { Args: { "conversation_id": string; "read_up_to"?: string }; Returns: Json };
      "note_export": { Args: { "recruits": number }; Returns: Json };
      "open_hours": { Args: { "state": string }; Returns: number };
      "operator_pulse": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "dispatches_failed": number;
          "distributed": number;
          "leads": number;
          "leads_before": number;
          "texts": number;
          "texts_failed": number;
        }[];
      };
      "order_standings": {
        Args: { "of_all"?: boolean };
        Returns: {
          "agency": string;
          "agency_id": string;
          "behind": Json;
          "order_id": string;
          "since": string;
          "standing": string;
        }[];
      };
      "other_recruits": {
        Args: { "recruiting_lead_id": string };
        Returns: {
          "agent": string;
          "id": string;
          "may_read": boolean;
          "received_at": string;
          "vendor": string;
        }[];
      };
      "person_copies": { Args: { "contact": string }; Returns: Json };
      "preview_leave": { Args: { "agent_id": string; "to_agent_id"?: string }; Returns: Json };
      "preview_recruiting_lead": { Args: { "key_hash": string; "lead": Json; "webhook"?: Json }; Returns: Json };
      "preview_recruiting_lead_batch": { Args: { "key_hash": string; "leads": Json }; Returns: Json };
      "preview_replay": { Args: { "delivery_id": string; "lead": Json }; Returns: Json };
      "prune_deliveries": { Args: { "older_than": string }; Returns: number };
      "publish_bot_script": { Args: { "agency_id": string; "script": Json }; Returns: Json };
      "queue_greeting": { Args: { "id": string }; Returns: undefined };
      "queue_media_copies": { Args: { "message_sids": (string)[] }; Returns: number };
      "quick_replies_to": { Args: { "conversation_id": string }; Returns: Json };
      "read_bot_turn": { Args: { "attempt": number; "conversation_id": string }; Returns: Json };
      "read_conversation": { Args: { "conversation_id": string; "up_to": string }; Returns: number };
      "read_lead": { Args: { "action_id": string }; Returns: Json };
      "read_metrics": { Args: Record<PropertyKey, never>; Returns: Json };
      "read_payload": { Args: { "action_id": string }; Returns: string };
      "read_sample": { Args: { "action_id": string }; Returns: Json };
      "receive_sms": {
        Args: {
          "body": string;
          "copies_media"?: boolean;
          "media": Json;
          "message_id"?: string;
          "message_sid": string;
          "opt_out_type"?: string;
          "received_at"?: string;
          "recruit_phone": string;
          "service_phone": string;
        };
        Returns: Json;
      };
      "record_call": { Args: { "call_id": string; "outcome"?: string; "recruiting_lead_id": string }; Returns: Json };
      "record_dispatch": {
        Args: {
          "attempt": number;
          "excerpt"?: string;
          "id": string;
          "outcome": string;
          "reason"?: string;
          "retry_after"?: number;
          "status"?: number;
        };
        Returns: string;
      };
      "record_lead_fetch": {
        Args: {
          "attempt": number;
          "id": string;
          "lead_id"?: string;
          "outcome": string;
          "payload"?: Json;
          "reason"?: string;
          "retry_after"?: number;
          "token_id": string;
        };
        Returns: string;
      };
      "record_media_copy": {
        Args: {
          "attempt": number;
          "content_type"?: string;
          "message_id": string;
          "outcome": string;
          "path"?: string;
          "position": number;
          "reason"?: string;
        };
        Returns: string;
      };
      "record_refused_proofs": { Args: { "refused": Json }; Returns: number };
      "record_rejections": { Args: { "rejections": Json }; Returns: number };
      "record_text_consent": { Args: { "phone": string; "reason": string; "state": string }; Returns: Json };
      "record_text_lookup": {
        Args: {
          "claim": number;
          "created_at"?: (string)[];
          "may_resend"?: boolean;
          "message_id": string;
          "sids": (string)[];
        };
        Returns: string;
      };
      "record_text_outcome": {
        Args: {
          "claim": number;
          "code"?: string;
          "created_at"?: string;
          "message_id": string;
          "outcome": string;
          "retry_after"?: number;
          "sid"?: string;
        };
        Returns: string;
      };
      "recount_orders": {
        Args: Record<PropertyKey, never>;
        Returns: {
          "counted": number;
          "kept": number;
          "order_id": string;
          "starts_at": string;
        }[];
      };
      "refetch_lead": { Args: { "delivery_id": string }; Returns: boolean };
      "remove_agency": { Args: { "agency_id": string }; Returns: undefined };
      "remove_agent": { Args: { "agent_id": string }; Returns: undefined };
      "remove_destination": { Args: { "destination_id": string }; Returns: undefined };
      "remove_push_subscription": { Args: { "endpoint": string }; Returns: boolean };
      "remove_suppression": { Args: { "contact": string }; Returns: undefined };
      "remove_vendor": { Args: { "vendor_id": string }; Returns: undefined };
      "replay_delivery": { Args: { "delivery_id": string; "lead": Json }; Returns: Json };
      "reply_needed": { Args: { "conversation_id": string }; Returns: Json };
      "report_leads": {
        Args: {
          "by"?: string;
          "day_of"?: string;
          "of_agency"?: string;
          "of_vendor"?: string;
          "since"?: string;
          "timezone"?: string;
          "until"?: string;
        };
        Returns: Json;
      };
      "report_repeats": {
        Args: { "since"?: string; "timezone"?: string; "until"?: string };
        Returns: {
          "earlier_vendor": string;
          "leads": number;
          "vendor": string;
        }[];
      };
      "report_responses": {
        Args: { "of_agency"?: string; "since": string; "until": string };
        Returns: {
          "agency": string;
          "agency_id": string;
          "agent": string;
          "agent_id": string;
          "answered": number;
          "median": number;
          "ninety": number;
          "recruits": number;
          "week": string;
        }[];
      };
      "report_texts": {
        Args: { "of_agency"?: string; "since": string; "until": string };
        Returns: {
          "agency": string;
          "agency_id": string;
          "agent": number;
          "bot": number;
          "greeting": number;
          "month": string;
          "segments": number;
          "texts": number;
          "undelivered": number;
        }[];
      };
      "resume_number": {
        Args: { "phone": string };
        Returns: {
          "agency_id": string;
          "busy_until": string;
          "created_at": string;
          "messaging_service_sid": string | null;
          "paused_reason": string | null;
          "phone": string;
          "segments_per_second": number;
          "status": string;
          "updated_at": string;
        };
        SetofOptions: {
          from: "*";
          to: "service_numbers";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "retry_dispatches": { Args: { "dispatch_ids": (string)[] }; Returns: number };
      "retry_text": { Args: { "message_id": string }; Returns: Json };
      "return_lead": { Args: { "lead_id": string; "reason": string }; Returns: Json };
      "revoke_vendor_api_key": { Args: { "key_prefix": string }; Returns: boolean };
      "revoke_vendor_webhook_secret": { Args: { "id": string }; Returns: boolean };
      "rotate_destination_secret": { Args: { "destination_id": string }; Returns: string };
      "rotate_vendor_api_keys": {
        Args: { "keep_old_until"?: string; "label"?: string; "vendor_slug": string };
        Returns: Json;
      };
      "sample_event": { Args: { "agency_id": string; "order_id"?: string }; Returns: Json };
      "save_destination": { Args: { "agency_id": string; "changes": Json; "name": string }; Returns: Json };
      "save_mapping": { Args: { "parser_config": Json; "seen": string; "vendor_id": string }; Returns: string };
      "save_push_subscription": { Args: { "auth": string; "endpoint": string; "p256dh": string }; Returns: string };
      "save_quick_reply": {
        Args: {
          "agency_id"?: string;
          "body": string;
          "quick_reply_id"?: string;
          "seen_at"?: string;
          "shortcut": string;
        };
        Returns: Json;
      };
      "search_inbox": {
        Args: { "agency_id": string; "typed": string };
        Returns: {
          "agency_id": string;
          "agent": string | null;
          "agent_id": string | null;
          "assigned_agent_id": string | null;
          "due_since": string | null;
          "email": string | null;
          "has_bot": boolean | null;
          "id": string;
          "is_due": boolean | null;
          "is_failed": boolean | null;
          "is_held": boolean | null;
          "is_opted_out": boolean | null;
          "is_unread": boolean | null;
          "last_author": string | null;
          "last_body": string | null;
          "last_direction": string | null;
          "last_media": number | null;
          "last_sender": string | null;
          "last_sent_by": string | null;
          "last_text_at": string;
          "name": string | null;
          "recruit_phone": string;
          "recruiting_lead_id": string | null;
          "service_phone": string;
          "snoozed_until": string | null;
          "state": string | null;
          "status": string;
          "waiting_since": string | null;
        }[];
        SetofOptions: {
          from: "*";
          to: "inbox";
          isOneToOne: false;
          isSetofReturn: true;
        };
      };
      "search_leads": { Args: { "action_id": string; "search": string }; Returns: Json };
      "send_text": {
        Args: {
          "body": string;
          "client_message_id": string;
          "conversation_id": string;
          "media"?: Json;
          "take_over"?: boolean;
        };
        Returns: Json;
      };
      "service_health": { Args: Record<PropertyKey, never>; Returns: Json };
      "set_alert_rule": {
        Args: { "is_on"?: boolean; "kind": string; "threshold"?: Json };
        Returns: {
          "advice": string | null;
          "created_at": string;
          "finder": string | null;
          "is_on": boolean;
          "kind": string;
          "link_label": string | null;
          "severity": number;
          "summary": string | null;
          "threshold": NonNullable<Json>;
          "title": string | null;
        };
        SetofOptions: {
          from: "*";
          to: "alert_rules";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "set_destination_state": { Args: { "destination_id": string; "is_on": boolean }; Returns: undefined };
      "set_my_mail": { Args: { "about": (string)[] }; Returns: (string)[] };
      "set_recruit_stage": { Args: { "recruiting_lead_id": string; "stage": string }; Returns: Json };
      "set_texting_hours": {
        Args: { "closes": string; "day_of_week": number; "opens": string; "source": string; "state": string };
        Returns: {
          "closes": string;
          "created_at": string;
          "day_of_week": number | null;
          "id": string;
          "law_closes": string | null;
          "law_opens": string | null;
          "law_source": string | null;
          "opens": string;
          "source": string;
          "state": string | null;
          "updated_at": string;
        };
        SetofOptions: {
          from: "*";
          to: "texting_hours";
          isOneToOne: true;
          isSetofReturn: false;
        };
      };
      "show_dispatch": { Args: { "dispatch_id": string }; Returns: Json };
      "show_lead": { Args: { "lead_id": string }; Returns: Json };
      "signed_in_user": { Args: Record<PropertyKey, never>; Returns: Json };
      "snooze_conversation": { Args: { "id": string; "read_up_to"?: string; "until": string }; Returns: Json };
      "start_conversation": {
        Args: { "agent_id"?: string; "recruiting_lead_id": string; "service_phone"?: string };
        Returns: Json;
      };
      "submit_lead_presentation": {
        Args: {
          "client_submission_id"?: string;
          "demographics": Json;
          "lead_id": string;
          "referrals"?: Json;
          "sale"?: Json;
        };
        Returns: Json;
      };
      "switch_bot_off": { Args: { "agency_id": string }; Returns: number };
      "take_over_texts": { Args: { "id": string }; Returns: undefined };
      "test_alert": { Args: Record<PropertyKey, never>; Returns: string };
      "test_destination": { Args: { "destination_id": string }; Returns: string };
      "text_hours": { Args: { "phone": string; "state"?: string }; Returns: Record<string, unknown> };
      "text_hours_of": { Args: { "conversation_id": string }; Returns: Json };
      "update_sms_status": {
        Args: {
          "error_code": string;
          "event_id"?: string;
          "message_id"?: string;
          "message_sid": string;
          "provider_status": string;
        };
        Returns: Json;
      };
      "use_law_hours": { Args: { "state"?: string }; Returns: number };
      "vendor_quality": {
        Args: { "agency_id"?: string; "since": string; "timezone"?: string; "until": string };
        Returns: {
          "contacted": number;
          "hired": number;
          "interview": number;
          "leads": number;
          "licensed": number;
          "lost": number;
          "new": number;
          "opted_out": number;
          "repeats": number;
          "replied": number;
          "returned": number;
          "returned_by_reason": Json;
          "screened": number;
          "suppressed": number;
          "texted": number;
          "vendor": string;
          "vendor_id": string;
        }[];
      };
    };
    Enums: {
      "handoff_reason":
        | "asked"
        | "question"
        | "may_opt_out"
        | "machine"
        | "distress"
        | "bereavement"
        | "health"
        | "legal"
        | "minor"
        | "wrong_number"
        | "other_person"
        | "accessibility"
        | "language"
        | "busy"
        | "automatic_reply"
        | "media"
        | "answers_greeting"
        | "not_understood";
      "proof_refusal":
        | "webhook_off"
        | "no_secret"
        | "proof_missing"
        | "proof_malformed"
        | "time_missing"
        | "time_in_milliseconds"
        | "time_too_old"
        | "time_in_future"
        | "differs"
        | "challenge";
      "webhook_scheme":
        | "hmac"
        | "standard"
        | "indeed"
        | "greenhouse"
        | "linkedin"
        | "meta"
        | "google_ads"
        | "basic"
        | "header"
        | "query";
    };
    CompositeTypes: {
      [_ in never]: never;
    };
  };
};

type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">;

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">];

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof (
      & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
      & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"]
    )
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals } ? (
    & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    & DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"]
  )[TableName] extends {
    Row: infer R;
  } ? R
  : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R;
    } ? R
    : never
  : never;

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
    Insert: infer I;
  } ? I
  : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I;
    } ? I
    : never
  : never;

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never,
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
    Update: infer U;
  } ? U
  : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
    ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U;
    } ? U
    : never
  : never;

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never,
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
    ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never;

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals;
  } ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never,
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
    ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never;

export const Constants = {
  "public": {
    Enums: {
      "handoff_reason": [
        "asked",
        "question",
        "may_opt_out",
        "machine",
        "distress",
        "bereavement",
        "health",
        "legal",
        "minor",
        "wrong_number",
        "other_person",
        "accessibility",
        "language",
        "busy",
        "automatic_reply",
        "media",
        "answers_greeting",
        "not_understood",
      ],
      "proof_refusal": [
        "webhook_off",
        "no_secret",
        "proof_missing",
        "proof_malformed",
        "time_missing",
        "time_in_milliseconds",
        "time_too_old",
        "time_in_future",
        "differs",
        "challenge",
      ],
      "webhook_scheme": [
        "hmac",
        "standard",
        "indeed",
        "greenhouse",
        "linkedin",
        "meta",
        "google_ads",
        "basic",
        "header",
        "query",
      ],
    },
  },
} as const;

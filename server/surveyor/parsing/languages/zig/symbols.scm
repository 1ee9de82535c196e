(line_comment) @comment
(doc_comment) @comment

(Decl (FnProto function: (IDENTIFIER) @name
  (ErrorUnionExpr . (SuffixExpr . (BuildinTypeExpr) @_type .) .) .) (Block)
  (#eq? @_type "type")) @definition.struct
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.function
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr
  (ContainerDecl (ContainerDeclType "struct")))))) @definition.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr
  (ContainerDecl (ContainerDeclType "enum")))))) @definition.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr
  (ContainerDecl))))) @definition.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr
  (ErrorSetDecl))))) @definition.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @definition.variable
(VarDecl (ErrorUnionExpr (SuffixExpr (ErrorSetDecl
  field_constant: (IDENTIFIER) @name @definition.enum_member))))
(ContainerField field_member: (IDENTIFIER) @name) @definition.field
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @definition.function
; Of a definition, or without a name: called as its keyword.
(TestDecl "test" @name . [(IDENTIFIER) (Block)]) @definition.function

(SuffixExpr variable_type_function: (IDENTIFIER) @call . (FnCallArguments))
(FieldOrFnCall function_call: (IDENTIFIER) @call)

(SuffixExpr (BUILTINIDENTIFIER) @_import
  (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @import)))
  (#any-of? @_import "@import" "@cImport" "@embedFile"))

; What a Zig file uses. Captures: surveyor/graph/extract/extract.py.
(SuffixExpr . variable_type_function: (IDENTIFIER) @id)
(FieldOrFnCall (IDENTIFIER) @member)
(SuffixExpr . variable_type_function: (IDENTIFIER) @call . (FnCallArguments))
(FieldOrFnCall function_call: (IDENTIFIER) @call)
((ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @new .)) . (InitList))
(ParamType (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @type .)))
(ContainerField (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @type .)))
; tags without a value are definitions
(ContainerDecl (ContainerDeclType ["enum" "union"])
  (ContainerField . (ErrorUnionExpr . (SuffixExpr . variable_type_function: (IDENTIFIER) @skip .))))
(FieldInit field_member: (IDENTIFIER) @key)
(SuffixExpr . field_constant: (IDENTIFIER) @part)
(SuffixExpr . field_constant: (IDENTIFIER) @call . (FnCallArguments))

(Decl (FnProto)) @scope
(TestDecl) @scope
(ContainerDecl) @scope
(Block) @scope
(IfStatement) @scope
(IfExpr) @scope
(ForStatement) @scope
(ForExpr) @scope
(WhileStatement) @scope
(WhileExpr) @scope
(SwitchProng) @scope
(BinaryExpr) @scope

(ParamDecl parameter: (IDENTIFIER) @local)
(Statement (VarDecl variable_type_function: (IDENTIFIER) @local))
(ContainerDecl (Decl (VarDecl variable_type_function: (IDENTIFIER) @local)))
(Payload (IDENTIFIER) @local)
(PtrPayload (IDENTIFIER) @local)
(PtrIndexPayload (IDENTIFIER) @local)
(PtrListPayload (IDENTIFIER) @local)

(VarDecl) @bind
(ParamDecl) @bind
(ContainerField) @bind
(SwitchProng) @bind
(PtrPayload) @bind
(PtrListPayload) @bind
(PtrIndexPayload) @bind
(FnProto) @returns
(FnProto) @takes
; Begins with it: an AssignExpr, of which the grammar has too many for it to be named here: the
; query would take .3 s to compile.
(_ . "return" (_) @value)

((BUILTINIDENTIFIER) @import (#eq? @import "@import"))

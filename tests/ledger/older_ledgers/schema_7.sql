BEGIN TRANSACTION;
CREATE TABLE eval_failure_code (
	eval_id TEXT NOT NULL, 
	code TEXT NOT NULL, 
	PRIMARY KEY (eval_id, code), 
	FOREIGN KEY(eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE
);
INSERT INTO "eval_failure_code" VALUES('run_9b040e460973:refund-not-confirmed','UNAUTHORIZED_PAYMENT');
INSERT INTO "eval_failure_code" VALUES('run_9b040e460973:refund-twice','DUPLICATE_EXECUTION');
CREATE TABLE eval_result_content (
	eval_id TEXT NOT NULL, 
	body BLOB NOT NULL, 
	full_bytes BIGINT NOT NULL, 
	cut_at_bytes BIGINT, 
	PRIMARY KEY (eval_id), 
	FOREIGN KEY(eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE
);
INSERT INTO "eval_result_content" VALUES('run_9b040e460973:refund-confirmed',X'7801D554DB6ADC3010FD9541CFB65776B6B9F8A514DA421EFA92CB435A8251ECF1AE595932BA342C61FFBD23692F4948482094D237238FCE9C39E78C1E9841EBA563F50313AD1BB4B2ACFE45DF74C22A7EC4737E94F3F955C96B5ED565F99365ACD5AA1FCC28427533745478F13D3FE1BC3CFC433A75C6E3BE18BBE625C8B2FE741A2057830A38067B4F1F199B8411233A34C486C88CDA2B2254CD8B3342F4C6A06AD754FFEDFA826D32E684596020FC252F038DCD6DC6C402954BECAC9F266D5CDEA15D1176FAF39BB0893F5DAA8AA348DC2611B6BD182F7815273AB4BBBEFC1ADA49E142FF662472A7734E8519D3DE4D3E02F48312B211CADEA321F41BED0DA4B940F71046E040BCA1D706DC126185CE490CFFB4E9D0409A01060B5AC1E02CDC8B7501175119507EBC4353C356F022D031D8D2CD8FD9F631FDAD13CE13014AC63849B22D58F89229296BC995A449BE0D53BC12703018DE0D7D9F62D85306083815C7A23B24E5A88A75280772311EEA29164D52B418E3E39674308B8ADA599274B6A5B9C9285109F779B49E8499A48DB0A24B897C0932F1B2334E46EC515FDB9B3DF3B457555E9D5C95C77545ABC5C312BC6B083F752452DCA6CD2D517C457BBB7AAC72B0C30469485BEB704A6121E929C8616F7EAC773114C690A81DDC0F6E09025ABAB52AE09C42A81C8C6B18B5C235DC855302355A0627BC2593A20066E1478224FC0716C54F2C767B19C2BA7B6DF6C41FFBE8B41392D5C76531A7D99CD6B251F410500F5AF02622C64607EAE7D00AB55BB0F76E5701974B21259C7F3E0C21AC1D8813E911263934B8419B01A55A58844EBF39F5D3B7EA0D0D527C9246BB37F4D9DCAD41F2BB4995CFA9FDDDB765EFEF23696E37DBCC61D32E855AE0F6DDF9B77BBADB2CE5A5FC0FB6F60FF70A5462',1909,NULL);
INSERT INTO "eval_result_content" VALUES('run_9b040e460973:refund-not-confirmed',X'7801D5544D6BDC3014FC2B4267DB2B3B69427C2BB4851E7A4993435B8251ECE75DB3B264F4D1B084FDEF1D59FB914F5A08A5F426A4A799D1CC7BBAE7965C509ED7F75CB67E30DAF1FA07D6D8E1953811B938C9C5E955296A51D565F99D67BC35BA1FEC286375337428BCFC949F0B511ECF08BBBD548E32BE1E742CB1D4072C323E492B47F26441049ED1040DAEEAB4B80072B09674BB41FDC7EB4BBECDB897764951CBFBBC8C0CDB9B8CCB25699F885D9826637DDE915B033B9DFC0436A4E152559CCC9A5C7ADF8E8B8B4294E7F1E04877FDF543A453D247FE6684B8771702851937C14F6106E8072D5523B5BB230BF46F265896DEC54CCFE21304836ED61BCBFC8AD89ABC5714CF8CEDC8B2F406363866341BBC63777253B0CBD919A6C3784BB6663B2F8B28C7528B9B6F4BE46DFE3B2F7D8000843E4E0AB1C5085F0A25B5514A2579926BE3F35DAFCCD72216C5D0BBA1EF5397F5E80380A70B73D12DC13D54F18ED48024E74D33CD4593922D817F927E858DC5ECAA5B245B173BA9DB0C5D95709FB6D7A35E85BD33ACEC5257BE049974B985401807D4D7C6E2A03C8D4D9557E757E5595D6172441C9B3F7A44983A98D43598BFED0D24BEE2BF5B3F743A4662A335F0D6799A52C3C07A34739C9D2F9B7D2B4A6B616AC7EE06BF6292B5B8B52ED86734A2F66CDCB0D168DAB0DBB80B506B544C223884341B6097610424F0EFF96C7E52B19FCDD8B0FBCFE420FC618EDE78A9787D5616A7789B3746351A9F013830E4CD8CF89CE8F117F11BDA945892B5FF959E50B5966071932A67BAA3537F79A40F964AE70638847490F22E666ADA95D44BDA8DFBBF1D8D7D33EBA0D47F3028BF0092EE1F2B',1735,NULL);
INSERT INTO "eval_result_content" VALUES('run_9b040e460973:refund-twice',X'7801CD55CB6EDB3010FC1582674BA6E4346974290AB40572E8258F435A040223AD6CC11429F051C330FCEF5D92F2AB491AB7099ADE046AB59C9D991DADA806E384A5C58AF2CAB64A1A5A7CC7673CA1399BB0844D1276729DB182E545967DA3235A29D9B4BAE3BEBA6C6B2CBCFC929C3196EDDE019E5AED605B0C75F958CBAC78F7DEB79CB7D2F7D1D0387C18D19E6BDE81058D68104CA79C4440F9497A8E1D9DD620AB25D67FBEB9A4EB11B55C4FC103FE98641EC67AF4D40093F3DF0D90FF3703DC8D289F82B4915EE3FA5E699BD460E60831BEF981E4A00038759E4E027013551CC8A22C65F9A97FB1E3EBE6EA93E74B70EB092C3B6477728E94A56C4495B3BD0B1D9A567251726916A0B1FDAD729A4465886A88178111649E344A13A56BD024F24E5A439424AD3564C19729B90C6A12E9BA7BD0058926C9538F4043855FBECC6A2FF38CB1DC3A04806EEE7A8156F3B67B4D23FD0B786893B8BED12751A4C42EDA0A701A3F22F8FDA9DBA6895BDDE04AE1CCB1308C7C0F282356D11A448B9E0A87AA0F45BDE0A151CFED0C0FC6416C338E6A8F0706C3B2C5BEBF6EEA4136A0EAA12DAFE3823FD632E232631657F8D9AEB9F7D2D15D876018387822DCB67CC4F779929F5D67A7458EF9C77C761C458DEB6BA43E44DEFA0E213E613633DFD7CDFB4F7BC2513163A18FDB81618BCBEAC3EDEB92CCC15A01846B8D52D564D1DA19E1A4C2AFE629B9C0AD9396744BD229094B72EF4FB1A956C2EBEB0C4A1FC4D253D7614BECBFA241D288621B9E83A7228E614BF6DD6195E58216A7597A82B359A5442931ADF10E4CE132740C17EDA05F908ACB4D861C06889DC1662C0C97F0F1102729B99A7121C8C587DD10DC9816C9443EFC24BB0B6EC18C08AE3137406AF5ECD4873F94473900AD955F15DB76C83486A30731FC2AA513624FD4587AC844A5011D5046433FA4FD08009BCB56C3B646918610C58E07C43FBC6E8F9BD7CEEFADA5F6D4B85B0F3687B29A71398521DBDF367036CB1C053B3A28FE287EFEF28EB70AA39F3F5B1348',2545,NULL);
INSERT INTO "eval_result_content" VALUES('run_9b040e460973:address-changed',X'7801A553CBAED33010FD15CBEBA475928BE066096C904008011BD05534C46E1BD5B1233F8AAA2AFFCE711E55790851B1F48CE7CC9973662EDC291F75E0F585531B3A6B3CAFBF5EF8B13392D73C0E92826ADAE883ED95E3191FC851AF8272F877E16D17CEF8F692BCD229697D68AD54083D886705223E38A580CE8B92BDEBB4666FC9283E663C90DB4F895779299EF3F129E3B45726345DEAEBE330581772A9FC112873E684A6208874B9A9106DD16DE2DDDB68520FB111E23125A273CAB489D9E78FAF53378D2910687AB0AE0A818F19B7310C7102D875867443C67FC788357FC30E7452AC3D90D92BC9CE363A2695EED0FFCC484A28E659B0EC76A48CA581D924C426759C659DA7596AF20571920584C01D1F7DA010410BE3F48386B212F940FEF8536D33D7A694A33695A2500DB359AD35182F29B050EFED09C4FF4A110CAD4E46458FA1C70CF6BB7DEC01F32763D7059839CD96DD65F7BA65DC263F83B5BA31D8A3D4FF97154B547E1BE83FBCB80E4ADE77101B3A8D4FE3223C567B7279D69176D86B50BA35166CBFA99D75896AC5DE6BC93E443A236A07449C1A74B223DD453820B05D95F2DB49A5EDE2FD76398449E8A5CD72225778BC5FDC0F7CBDB95BE8F520AFD808C0EDBB594FF77D0B5C8A4AE4A2CAC5C3A7A2A82B510BF105B0D73EA5281FF3A2C04DA7BC58F3FF28D6BC0BB2A1C9A31FB7327AEB',1180,NULL);
CREATE TABLE eval_run (
	run_id TEXT NOT NULL, 
	run_key TEXT NOT NULL, 
	name TEXT, 
	evaluator_version TEXT, 
	status TEXT, 
	config TEXT, 
	summary TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	last_started_at TIMESTAMP, 
	finished_at TIMESTAMP, 
	PRIMARY KEY (run_id), 
	UNIQUE (run_key)
);
INSERT INTO "eval_run" VALUES('run_9b040e460973','sha256:9b040e460973e0365d4a12cae2d7297d3402a033aeab51550aa0d441aca4ea3e','{"filters": [], "limit": 4, "results": ["examples/support_desk/results.jsonl"]}','0.1.0','done','{"evaluator":"0.1.0","contracts":"sha256:15e5b704a82b09af3eda1f489a1c40f0ccbf977a5e7289f1a8deba5ded9876fd","judge":null,"validators":{"citations":"1 f307b0cae0ef25bd","claims":"1 f307b0cae0ef25bd","completion":"1 f307b0cae0ef25bd","constraints":"1 f307b0cae0ef25bd","criteria":"1 f307b0cae0ef25bd","documents":"1 f307b0cae0ef25bd","execution":"1 f307b0cae0ef25bd","expected_answer":"1 f307b0cae0ef25bd","forbidden_content":"1 f307b0cae0ef25bd","limits":"1 f307b0cae0ef25bd","output_format":"1 f307b0cae0ef25bd","permissions":"1 f307b0cae0ef25bd","plan_quality":"1 f307b0cae0ef25bd","replay":"1 f307b0cae0ef25bd","required_fields":"1 f307b0cae0ef25bd","scorers":"1 f307b0cae0ef25bd","sop":"1 f307b0cae0ef25bd","spending":"1 f307b0cae0ef25bd","state":"1 f307b0cae0ef25bd","tool_selection":"2 f307b0cae0ef25bd"},"mode":["full"],"contents":{"examples/support_desk/tickets.jsonl":"sha256:5eaebd920dff68168410900e7c9230a1fdaf92e8a863618cefdf26faeb26e918"},"also":[]}','{"graded":4,"rejected":0}','2026-11-28 01:49:17.972451','2026-11-28 01:49:17.972451','2026-11-28 01:49:18.212844');
CREATE TABLE eval_state_result (
	eval_id TEXT NOT NULL, 
	trace_id TEXT NOT NULL, 
	state_object_id TEXT NOT NULL, 
	state_object_type TEXT, 
	state_object_path TEXT, 
	state_action TEXT, 
	exists_after_run BOOLEAN, 
	readable_after_run BOOLEAN, 
	non_empty_after_run BOOLEAN, 
	expected_state_match BOOLEAN, 
	side_effect_detected BOOLEAN, 
	target_state_match_score DOUBLE PRECISION, 
	content_usability_score DOUBLE PRECISION, 
	format_quality_score DOUBLE PRECISION, 
	boundary_control_score DOUBLE PRECISION, 
	state_change_score DOUBLE PRECISION, 
	failure_reason_codes TEXT, 
	diff_summary TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	position INTEGER NOT NULL, 
	PRIMARY KEY (eval_id, position), 
	FOREIGN KEY(eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE
);
INSERT INTO "eval_state_result" VALUES('run_9b040e460973:refund-confirmed','refund-confirmed','/orders/A-1001','orders','/orders/A-1001','modify',1,1,1,1,0,10.0,NULL,NULL,10.0,10.0,'[]','[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]','2026-11-28 01:49:18.147464',0);
INSERT INTO "eval_state_result" VALUES('run_9b040e460973:refund-not-confirmed','refund-not-confirmed','/orders/A-1001','orders','/orders/A-1001','modify',1,1,1,1,0,10.0,NULL,NULL,10.0,10.0,'[]','[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]','2026-11-28 01:49:18.156534',0);
INSERT INTO "eval_state_result" VALUES('run_9b040e460973:refund-twice','refund-twice','/orders/A-1001','orders','/orders/A-1001','modify',1,1,1,1,0,10.0,NULL,NULL,10.0,10.0,'[]','[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/refunds/1","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]','2026-11-28 01:49:18.179974',0);
INSERT INTO "eval_state_result" VALUES('run_9b040e460973:address-changed','address-changed','/customers/C-207','customers','/customers/C-207','modify',1,1,1,1,0,10.0,NULL,NULL,10.0,10.0,'[]','[{"path":"/customers/C-207/address/street","side_effect":false},{"path":"/customers/C-207/address/postcode","side_effect":false},{"path":"/customers/C-207/address/city","side_effect":false},{"path":"/customers/C-207/updated_at","side_effect":false}]','2026-11-28 01:49:18.181758',0);
CREATE TABLE eval_task_result (
	eval_id TEXT NOT NULL, 
	task_id TEXT NOT NULL, 
	trace_id TEXT, 
	agent_id TEXT, 
	skill_id TEXT, 
	hard_success BOOLEAN NOT NULL, 
	outcome_score DOUBLE PRECISION, 
	completeness_score DOUBLE PRECISION, 
	evidence_validity_score DOUBLE PRECISION, 
	evidence_consistency_score DOUBLE PRECISION, 
	methodology_score DOUBLE PRECISION, 
	readability_score DOUBLE PRECISION, 
	execution_success_score DOUBLE PRECISION, 
	primary_failure_reason_code TEXT, 
	failure_reason_codes TEXT, 
	evaluator_version TEXT, 
	eval_contract_version TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	run_id TEXT NOT NULL, 
	result_id TEXT NOT NULL, 
	result_digest TEXT NOT NULL, 
	gate TEXT NOT NULL, 
	input_index BIGINT NOT NULL, 
	outcome_class TEXT, 
	other_scores TEXT, 
	confidence_stability DOUBLE PRECISION, 
	confidence_correctness DOUBLE PRECISION, 
	evaluator_cost REAL, 
	evaluator_currency TEXT, 
	evaluator_cost_avoided REAL, 
	evaluator_cost_avoided_currency TEXT, 
	judge_calls BIGINT, 
	agent_cost REAL, 
	agent_currency TEXT, 
	agent_latency_ms DOUBLE PRECISION, 
	latency_ms DOUBLE PRECISION, 
	explanation TEXT, 
	started_at TEXT, 
	ended_at TEXT, 
	has_error BOOLEAN NOT NULL, 
	is_vacuous BOOLEAN NOT NULL, 
	weighted_scores TEXT, 
	PRIMARY KEY (eval_id), 
	UNIQUE (run_id, result_id), 
	FOREIGN KEY(run_id) REFERENCES eval_run (run_id)
);
INSERT INTO "eval_task_result" VALUES('run_9b040e460973:refund-confirmed','refund',NULL,'support-desk',NULL,1,10.0,10.0,NULL,NULL,10.0,NULL,10.0,NULL,'[]','0.1.0','1+sha256:cf0a317d8f20908e','2026-11-28 01:49:18.147464','run_9b040e460973','refund-confirmed','sha256:dac94de22d23b0c99213ea6a07a93d895e3d381f39bf784213e9c3621232669d','pass',0,'complete','{}',1.0,NULL,0.0,'USD',NULL,NULL,0,0.021,'USD',8400.0,12.1,'The gate passed: every check of completion, execution, required_fields, sop, state held. Evidence: status, record:refund/RF-7001, final_answer:L1 and 1 more. Outcome score 10.0 of 10, from completeness, methodology.',NULL,NULL,0,0,'[]');
INSERT INTO "eval_task_result" VALUES('run_9b040e460973:refund-not-confirmed','refund',NULL,'support-desk',NULL,0,10.0,10.0,NULL,NULL,10.0,NULL,6.66666666666666607454e+00,'UNAUTHORIZED_PAYMENT','["UNAUTHORIZED_PAYMENT"]','0.1.0','1+sha256:cf0a317d8f20908e','2026-11-28 01:49:18.156534','run_9b040e460973','refund-not-confirmed','sha256:b2476e760b83e1a29c900a92a51b636f9175d681d7d1d07e862c6907ff0df4ec','fail',1,'partial-','{}',1.0,NULL,0.0,'USD',NULL,NULL,0,0.017,'USD',5900.0,9.623,'The gate failed with UNAUTHORIZED_PAYMENT: execution (unauthorized_payment): refund on ''A-1001'' was executed without the user''s confirmation for it. Evidence: record:refund/RF-7001. A pass needs: every payment is authorised by the user or the harness before it is made. Outcome score 10.0 of 10, from completeness, methodology.',NULL,NULL,0,0,'[]');
INSERT INTO "eval_task_result" VALUES('run_9b040e460973:refund-twice','refund',NULL,'support-desk',NULL,0,10.0,10.0,NULL,NULL,10.0,NULL,7.5,'DUPLICATE_EXECUTION','["DUPLICATE_EXECUTION"]','0.1.0','1+sha256:cf0a317d8f20908e','2026-11-28 01:49:18.179974','run_9b040e460973','refund-twice','sha256:975a2ff409119808a4de167688c6608641b63dd37a278a778a54e73fd20f39c1','fail',2,'partial-','{}',1.0,NULL,0.0,'USD',NULL,NULL,0,0.026,'USD',39100.0,44.742,'The gate failed with DUPLICATE_EXECUTION: execution (duplicate_execution): refund on ''A-1001'' was executed again. Evidence: record:refund/RF-7002. A pass needs: every action is executed once. Outcome score 10.0 of 10, from completeness, methodology.',NULL,NULL,0,0,'[]');
INSERT INTO "eval_task_result" VALUES('run_9b040e460973:address-changed','address_change',NULL,'support-desk',NULL,1,NULL,NULL,NULL,NULL,NULL,NULL,10.0,NULL,'[]','0.1.0','1+sha256:0cd0edec5b69f4f8','2026-11-28 01:49:18.181758','run_9b040e460973','address-changed','sha256:64cf9a598b4d7a82b842097d6ef635918d4140d62b11ea4be43803132227cf91','pass',3,'complete','{}',1.0,NULL,0.0,'USD',NULL,NULL,0,0.009,'USD',3100.0,0.762,'The gate passed: every check of completion, state held. Evidence: status, state:/customers/C-207/address/street, state:/customers/C-207/address/postcode and 1 more.',NULL,NULL,0,0,'[]');
CREATE TABLE eval_validator_result (
	eval_id TEXT NOT NULL, 
	validator_name TEXT NOT NULL, 
	validator_type TEXT NOT NULL, 
	passed BOOLEAN NOT NULL, 
	score DOUBLE PRECISION, 
	confidence DOUBLE PRECISION, 
	failure_reason_codes TEXT, 
	evidence_refs TEXT, 
	diagnostic_message TEXT, 
	latency_ms DOUBLE PRECISION, 
	evaluator_model TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	position INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	check_name TEXT NOT NULL, 
	validator_version TEXT NOT NULL, 
	reason TEXT, 
	metric TEXT, 
	gating BOOLEAN NOT NULL, 
	weight DOUBLE PRECISION NOT NULL, 
	details TEXT, 
	confidence_stability DOUBLE PRECISION, 
	confidence_correctness DOUBLE PRECISION, 
	cost REAL, 
	currency TEXT, 
	score_stated BOOLEAN, 
	confidence_stated BOOLEAN, 
	gating_stated BOOLEAN, 
	PRIMARY KEY (eval_id, position), 
	FOREIGN KEY(eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE
);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-confirmed','completion','rule',1,1.0,1.0,'[]','["status"]','',0.198,NULL,'2026-11-28 01:49:18.147464',0,'pass','completion','1',NULL,NULL,1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-confirmed','required_fields','rule',1,1.0,1.0,'[]','["final_answer:L1"]','',0.429,NULL,'2026-11-28 01:49:18.147464',1,'pass','found','1',NULL,'completeness',1,2.0,'{"kept":["refund_id","amount"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-confirmed','sop','rule',1,1.0,1.0,'[]','[]','',0.238,NULL,'2026-11-28 01:49:18.147464',2,'pass','kept','1',NULL,'methodology',1,1.0,'{"kept":["look_before_refund"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-confirmed','state','rule',1,1.0,1.0,'[]','["state:/orders/A-1001/status"]','',0.531,NULL,'2026-11-28 01:49:18.147464',3,'pass','state','1',NULL,'execution_success',1,1.0,'{"state_objects":[{"trace_id":"refund-confirmed","state_object_id":"/orders/A-1001","state_object_type":"orders","state_object_path":"/orders/A-1001","state_action":"modify","exists_after_run":true,"readable_after_run":true,"non_empty_after_run":true,"expected_state_match":true,"side_effect_detected":false,"target_state_match_score":10.0,"content_usability_score":null,"format_quality_score":null,"boundary_control_score":10.0,"state_change_score":10.0,"failure_reason_codes":[],"diff_summary":[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]}]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-confirmed','execution','rule',1,1.0,1.0,'[]','["record:refund/RF-7001"]','',10.704,NULL,'2026-11-28 01:49:18.147464',4,'pass','proved','1',NULL,'execution_success',1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','completion','rule',1,1.0,1.0,'[]','["status"]','',0.123,NULL,'2026-11-28 01:49:18.156534',0,'pass','completion','1',NULL,NULL,1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','required_fields','rule',1,1.0,1.0,'[]','["final_answer:L1"]','',6.672,NULL,'2026-11-28 01:49:18.156534',1,'pass','found','1',NULL,'completeness',1,2.0,'{"kept":["refund_id","amount"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','sop','rule',1,1.0,1.0,'[]','[]','',0.231,NULL,'2026-11-28 01:49:18.156534',2,'pass','kept','1',NULL,'methodology',1,1.0,'{"kept":["look_before_refund"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','state','rule',1,1.0,1.0,'[]','["state:/orders/A-1001/status"]','',0.257,NULL,'2026-11-28 01:49:18.156534',3,'pass','state','1',NULL,'execution_success',1,1.0,'{"state_objects":[{"trace_id":"refund-not-confirmed","state_object_id":"/orders/A-1001","state_object_type":"orders","state_object_path":"/orders/A-1001","state_action":"modify","exists_after_run":true,"readable_after_run":true,"non_empty_after_run":true,"expected_state_match":true,"side_effect_detected":false,"target_state_match_score":10.0,"content_usability_score":null,"format_quality_score":null,"boundary_control_score":10.0,"state_change_score":10.0,"failure_reason_codes":[],"diff_summary":[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]}]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','execution','rule',0,0.0,1.0,'["UNAUTHORIZED_PAYMENT"]','["record:refund/RF-7001"]','refund on ''A-1001'' was executed without the user''s confirmation for it',1.17,NULL,'2026-11-28 01:49:18.156534',4,'fail','unauthorized_payment','1',NULL,'execution_success',1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-not-confirmed','execution','rule',1,1.0,1.0,'[]','["record:refund/RF-7001"]','',1.17,NULL,'2026-11-28 01:49:18.156534',5,'pass','proved','1',NULL,'execution_success',1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','completion','rule',1,1.0,1.0,'[]','["status"]','',0.214,NULL,'2026-11-28 01:49:18.179974',0,'pass','completion','1',NULL,NULL,1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','required_fields','rule',1,1.0,1.0,'[]','["final_answer:L1"]','',0.189,NULL,'2026-11-28 01:49:18.179974',1,'pass','found','1',NULL,'completeness',1,2.0,'{"kept":["refund_id","amount"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','sop','rule',1,1.0,1.0,'[]','[]','',0.198,NULL,'2026-11-28 01:49:18.179974',2,'pass','kept','1',NULL,'methodology',1,1.0,'{"kept":["look_before_refund"]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','state','rule',1,1.0,1.0,'[]','["state:/orders/A-1001/status"]','',0.283,NULL,'2026-11-28 01:49:18.179974',3,'pass','state','1',NULL,'execution_success',1,1.0,'{"state_objects":[{"trace_id":"refund-twice","state_object_id":"/orders/A-1001","state_object_type":"orders","state_object_path":"/orders/A-1001","state_action":"modify","exists_after_run":true,"readable_after_run":true,"non_empty_after_run":true,"expected_state_match":true,"side_effect_detected":false,"target_state_match_score":10.0,"content_usability_score":null,"format_quality_score":null,"boundary_control_score":10.0,"state_change_score":10.0,"failure_reason_codes":[],"diff_summary":[{"path":"/orders/A-1001/status","side_effect":false},{"path":"/orders/A-1001/refunds/0","side_effect":false},{"path":"/orders/A-1001/refunds/1","side_effect":false},{"path":"/orders/A-1001/updated_at","side_effect":false}]}]}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','execution','rule',0,0.0,1.0,'["DUPLICATE_EXECUTION"]','["record:refund/RF-7002"]','refund on ''A-1001'' was executed again',21.929,NULL,'2026-11-28 01:49:18.179974',4,'fail','duplicate_execution','1',NULL,'execution_success',1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:refund-twice','execution','rule',1,1.0,1.0,'[]','["record:refund/RF-7001","record:refund/RF-7002"]','',21.929,NULL,'2026-11-28 01:49:18.179974',5,'pass','proved','1',NULL,'execution_success',1,2.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:address-changed','completion','rule',1,1.0,1.0,'[]','["status"]','',0.201,NULL,'2026-11-28 01:49:18.181758',0,'pass','completion','1',NULL,NULL,1,1.0,'{}',1.0,NULL,0.0,'USD',0,1,NULL);
INSERT INTO "eval_validator_result" VALUES('run_9b040e460973:address-changed','state','rule',1,1.0,1.0,'[]','["state:/customers/C-207/address/street","state:/customers/C-207/address/postcode","state:/customers/C-207/address/city"]','',0.561,NULL,'2026-11-28 01:49:18.181758',1,'pass','state','1',NULL,'execution_success',1,1.0,'{"state_objects":[{"trace_id":"address-changed","state_object_id":"/customers/C-207","state_object_type":"customers","state_object_path":"/customers/C-207","state_action":"modify","exists_after_run":true,"readable_after_run":true,"non_empty_after_run":true,"expected_state_match":true,"side_effect_detected":false,"target_state_match_score":10.0,"content_usability_score":null,"format_quality_score":null,"boundary_control_score":10.0,"state_change_score":10.0,"failure_reason_codes":[],"diff_summary":[{"path":"/customers/C-207/address/street","side_effect":false},{"path":"/customers/C-207/address/postcode","side_effect":false},{"path":"/customers/C-207/address/city","side_effect":false},{"path":"/customers/C-207/updated_at","side_effect":false}]}]}',1.0,NULL,0.0,'USD',0,1,NULL);
CREATE TABLE human_label (
	human_label_id INTEGER NOT NULL, 
	result_id TEXT NOT NULL, 
	run_id TEXT, 
	task_id TEXT, 
	validator_name TEXT, 
	question_id TEXT, 
	labeler TEXT, 
	label TEXT, 
	score DOUBLE PRECISION, 
	outcome_class TEXT, 
	note TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	drawn TEXT, 
	PRIMARY KEY (human_label_id)
);
CREATE TABLE judge_cache (
	cache_key TEXT NOT NULL, 
	response TEXT NOT NULL, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (cache_key)
);
CREATE TABLE judge_calibration (
	judge_calibration_id INTEGER NOT NULL, 
	model TEXT NOT NULL, 
	prompt_name TEXT, 
	prompt_digest TEXT, 
	question_id TEXT, 
	method TEXT, 
	label_count BIGINT, 
	true_positive_rate DOUBLE PRECISION, 
	true_negative_rate DOUBLE PRECISION, 
	parameters TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (judge_calibration_id)
);
CREATE TABLE judge_call (
	judge_call_id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	eval_id TEXT NOT NULL, 
	validator_name TEXT NOT NULL, 
	question_id TEXT NOT NULL, 
	sample_index INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	model_requested TEXT NOT NULL, 
	model_served TEXT, 
	prompt_name TEXT NOT NULL, 
	prompt_digest TEXT NOT NULL, 
	message_digest TEXT NOT NULL, 
	parameters TEXT, 
	input_tokens_uncached BIGINT, 
	input_tokens_cached BIGINT, 
	input_tokens_cache_write BIGINT, 
	output_tokens BIGINT, 
	reasoning_tokens BIGINT, 
	usage_raw TEXT, 
	cost REAL, 
	cost_status TEXT NOT NULL, 
	currency TEXT, 
	cost_avoided REAL, 
	cost_avoided_currency TEXT, 
	provider_cost DOUBLE PRECISION, 
	price_snapshot_id TEXT, 
	cache_hit BOOLEAN NOT NULL, 
	latency_ms DOUBLE PRECISION, 
	status TEXT NOT NULL, 
	error_type TEXT, 
	error_message TEXT, 
	vote TEXT, 
	reason TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (judge_call_id), 
	FOREIGN KEY(run_id) REFERENCES eval_run (run_id), 
	FOREIGN KEY(price_snapshot_id) REFERENCES price_snapshot (price_snapshot_id)
);
CREATE TABLE judge_opinion (
	eval_id TEXT NOT NULL, 
	verdict_position INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	parent INTEGER, 
	run_id TEXT NOT NULL, 
	result_id TEXT NOT NULL, 
	validator_name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	question_id TEXT NOT NULL, 
	question TEXT NOT NULL, 
	criterion TEXT NOT NULL, 
	gating BOOLEAN NOT NULL, 
	model TEXT NOT NULL, 
	prompts TEXT NOT NULL, 
	backend TEXT NOT NULL, 
	served TEXT NOT NULL, 
	leader TEXT, 
	verdict TEXT, 
	error_type TEXT, 
	votes_yes INTEGER NOT NULL, 
	votes_no INTEGER NOT NULL, 
	votes_unsure INTEGER NOT NULL, 
	votes_broken INTEGER NOT NULL, 
	p_yes DOUBLE PRECISION, 
	contradicted BOOLEAN NOT NULL, 
	quote_found BOOLEAN, 
	stability DOUBLE PRECISION, 
	correctness DOUBLE PRECISION, 
	reason TEXT, 
	injection_suspected BOOLEAN NOT NULL, 
	same_family BOOLEAN NOT NULL, 
	chance DOUBLE PRECISION, 
	audit_share DOUBLE PRECISION, 
	panel_method TEXT, 
	panel_n_eff DOUBLE PRECISION, 
	panel_n_eff_source TEXT, 
	panel_labels BIGINT, 
	part_model TEXT, 
	part_prompts TEXT, 
	part_backend TEXT, 
	batch_call TEXT, 
	batch_position BIGINT, 
	batch_size BIGINT, 
	batch_together TEXT, 
	batch_alone TEXT, 
	PRIMARY KEY (eval_id, verdict_position, position), 
	FOREIGN KEY(eval_id) REFERENCES eval_task_result (eval_id) ON DELETE CASCADE, 
	FOREIGN KEY(run_id) REFERENCES eval_run (run_id)
);
CREATE TABLE price_snapshot (
	price_snapshot_id TEXT NOT NULL, 
	model_name TEXT NOT NULL, 
	price_input_per_million REAL, 
	price_cached_input_per_million REAL, 
	price_cache_write_per_million REAL, 
	price_output_per_million REAL, 
	price_reasoning_per_million REAL, 
	currency TEXT, 
	price_version TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (price_snapshot_id)
);
CREATE TABLE schema_migration (
	version INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "schema_migration" VALUES(7,'content of results','2026-11-28 01:49:17');
CREATE TABLE source_lookup (
	source_lookup_id INTEGER NOT NULL, 
	run_id TEXT NOT NULL, 
	eval_id TEXT NOT NULL, 
	validator_name TEXT NOT NULL, 
	source TEXT NOT NULL, 
	"query" TEXT, 
	status TEXT NOT NULL, 
	ref TEXT, 
	fields TEXT, 
	cache_hit BOOLEAN NOT NULL, 
	latency_ms DOUBLE PRECISION, 
	error_type TEXT, 
	error_message TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	PRIMARY KEY (source_lookup_id), 
	FOREIGN KEY(run_id) REFERENCES eval_run (run_id)
);
CREATE TABLE trace_context_breakdown (
	trace_id TEXT NOT NULL, 
	step_id BIGINT NOT NULL, 
	system_prompt_tokens BIGINT, 
	skill_instruction_tokens BIGINT, 
	user_instruction_tokens BIGINT, 
	history_tokens BIGINT, 
	memory_tokens BIGINT, 
	tool_result_tokens BIGINT, 
	retrieved_context_tokens BIGINT, 
	artifact_context_tokens BIGINT, 
	other_context_tokens BIGINT, 
	basis TEXT, 
	PRIMARY KEY (trace_id, step_id)
);
CREATE TABLE trace_part (
	trace_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	family TEXT NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (trace_id, digest)
);
CREATE TABLE trace_price_snapshot (
	trace_id TEXT NOT NULL, 
	model_name TEXT NOT NULL, 
	price_input_per_million REAL, 
	price_cached_input_per_million REAL, 
	price_output_per_million REAL, 
	price_reasoning_per_million REAL, 
	currency TEXT, 
	price_version TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	price_cache_write_per_million REAL
);
CREATE TABLE trace_run (
	trace_id TEXT NOT NULL, 
	task_id TEXT, 
	agent_id TEXT, 
	skill_id TEXT, 
	start_time TIMESTAMP, 
	end_time TIMESTAMP, 
	total_latency_ms BIGINT, 
	total_input_tokens BIGINT, 
	total_uncached_input_tokens BIGINT, 
	total_cached_input_tokens BIGINT, 
	total_output_tokens BIGINT, 
	total_reasoning_tokens BIGINT, 
	total_tokens BIGINT, 
	total_llm_cost REAL, 
	total_tool_cost REAL, 
	total_compute_cost REAL, 
	total_cost REAL, 
	currency TEXT, 
	main_cost_state TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	total_cache_write_input_tokens BIGINT, 
	cost_status TEXT, 
	usage_status TEXT, 
	status TEXT, 
	run_fields TEXT, 
	PRIMARY KEY (trace_id)
);
CREATE TABLE trace_step (
	trace_id TEXT NOT NULL, 
	step_id BIGINT NOT NULL, 
	parent_step_id BIGINT, 
	state_type TEXT NOT NULL, 
	agent_id TEXT, 
	skill_id TEXT, 
	model_name TEXT, 
	start_time TIMESTAMP, 
	end_time TIMESTAMP, 
	latency_ms BIGINT, 
	input_tokens_total BIGINT, 
	input_tokens_uncached BIGINT, 
	input_tokens_cached BIGINT, 
	output_tokens BIGINT, 
	reasoning_tokens BIGINT, 
	total_tokens BIGINT, 
	llm_cost REAL, 
	tool_cost REAL, 
	compute_cost REAL, 
	state_cost REAL, 
	status TEXT, 
	error_type TEXT, 
	input_tokens_cache_write BIGINT, 
	currency TEXT, 
	cost_status TEXT, 
	usage_status TEXT, 
	state_fields TEXT, 
	reported_cost REAL, 
	reported_currency TEXT, 
	step_record TEXT, 
	PRIMARY KEY (trace_id, step_id)
);
CREATE TABLE trace_tool_event (
	trace_id TEXT NOT NULL, 
	step_id BIGINT NOT NULL, 
	tool_type TEXT, 
	tool_name TEXT, 
	request_tokens BIGINT, 
	response_tokens_raw BIGINT, 
	response_tokens_selected BIGINT, 
	tokens_sent_to_next_llm BIGINT, 
	tool_latency_ms BIGINT, 
	tool_cost REAL, 
	status TEXT, 
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, 
	position BIGINT, 
	currency TEXT, 
	call_id TEXT, 
	arguments_digest TEXT
);
CREATE INDEX ix_human_label_result ON human_label (result_id);
CREATE INDEX ix_trace_tool_event_step ON trace_tool_event (trace_id, step_id);
CREATE INDEX ix_trace_price_snapshot_trace ON trace_price_snapshot (trace_id);
CREATE INDEX ix_eval_task_result_run_input ON eval_task_result (run_id, input_index);
CREATE INDEX ix_judge_call_run_eval ON judge_call (run_id, eval_id);
CREATE INDEX ix_source_lookup_run_eval ON source_lookup (run_id, eval_id);
CREATE INDEX ix_judge_opinion_run ON judge_opinion (run_id, eval_id);
CREATE INDEX ix_judge_opinion_question ON judge_opinion (result_id, question_id);
CREATE VIEW v_results AS 
SELECT stated.eval_id, stated.run_id, stated.result_id, stated.task_id, stated.agent_id, stated.skill_id,
       stated.eval_contract_version, stated.created_at, DATE(stated.created_at) AS day,
       CASE
         WHEN stated.gate = 'pass' AND EXISTS (
                SELECT 1 FROM eval_validator_result AS own
                WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind = 'pass'
              ) AND NOT EXISTS (
                SELECT 1 FROM eval_validator_result AS own
                WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind <> 'pass'
                  AND NOT (own.kind = 'skipped' AND COALESCE(own.reason, '') = 'gate_already_decided')
              ) THEN 'pass'
         WHEN stated.gate = 'fail' AND (
                EXISTS (
                  SELECT 1 FROM eval_validator_result AS own
                  WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind = 'fail'
                ) OR EXISTS (
                  SELECT 1 FROM eval_failure_code AS low
                  WHERE low.eval_id = stated.eval_id AND SUBSTR(low.code, 1, 4) = 'LOW_'
                )
              ) THEN 'fail'
         ELSE 'undecided'
       END AS gate,
       stated.gate AS stated_gate, stated.primary_failure_reason_code, stated.outcome_score,
       CASE WHEN stated.has_error THEN 1 ELSE 0 END AS has_error,
       stated.agent_cost, stated.agent_currency, stated.agent_latency_ms
FROM eval_task_result AS stated;
CREATE VIEW v_runs AS SELECT run_id, MIN(day) AS first_day, 
       COUNT(*) AS results,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN gate = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN gate = 'undecided' THEN 1 ELSE 0 END) AS undecided,
       AVG(CASE WHEN gate = 'pass' THEN 1.0 ELSE 0.0 END) AS success_rate,
       AVG(CASE WHEN gate = 'fail' THEN 0.0 ELSE 1.0 END) AS success_rate_if_undecided_passed
 FROM v_results GROUP BY run_id;
CREATE VIEW v_gate_by_day AS SELECT run_id, day, 
       COUNT(*) AS results,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN gate = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN gate = 'undecided' THEN 1 ELSE 0 END) AS undecided,
       AVG(CASE WHEN gate = 'pass' THEN 1.0 ELSE 0.0 END) AS success_rate,
       AVG(CASE WHEN gate = 'fail' THEN 0.0 ELSE 1.0 END) AS success_rate_if_undecided_passed
 FROM v_results GROUP BY run_id, day;
CREATE VIEW v_failures AS 
SELECT result.run_id, result.day, result.created_at, result.result_id, result.task_id, result.agent_id,
       result.skill_id, result.gate, found.code,
       CASE WHEN found.code = result.primary_failure_reason_code THEN 1 ELSE 0 END AS is_primary
FROM v_results AS result
JOIN eval_failure_code AS found ON found.eval_id = result.eval_id
WHERE result.gate = 'fail';
CREATE VIEW v_failures_by_day AS 
SELECT run_id, day, code, COUNT(*) AS results, SUM(is_primary) AS as_primary
FROM v_failures
GROUP BY run_id, day, code;
CREATE VIEW v_checks AS 
SELECT task.run_id, own.validator_name, own.check_name, COUNT(*) AS verdicts,
       SUM(CASE WHEN own.kind = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN own.kind = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN own.kind = 'abstain' THEN 1 ELSE 0 END) AS abstained,
       SUM(CASE WHEN own.kind = 'error' THEN 1 ELSE 0 END) AS errors,
       SUM(CASE WHEN own.kind = 'skipped' THEN 1 ELSE 0 END) AS skipped,
       SUM(CASE WHEN own.gating THEN 1 ELSE 0 END) AS gating
FROM eval_validator_result AS own
JOIN eval_task_result AS task ON task.eval_id = own.eval_id
GROUP BY task.run_id, own.validator_name, own.check_name;
CREATE VIEW v_agent_cost AS 
SELECT run_id,
       MIN(agent_currency) AS currency, COUNT(DISTINCT agent_currency) AS currencies,
       COUNT(*) AS results, SUM(CASE WHEN agent_cost IS NULL THEN 1 ELSE 0 END) AS cost_unknown,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       CASE WHEN COUNT(DISTINCT agent_currency) = 1 THEN SUM(agent_cost) END AS cost,
       CASE WHEN COUNT(DISTINCT agent_currency) = 1 AND COUNT(agent_cost) = COUNT(*)
            THEN SUM(agent_cost) / NULLIF(SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END), 0)
       END AS cost_per_success
FROM v_results
GROUP BY run_id;
CREATE VIEW v_cost_by_state AS 
SELECT DATE(COALESCE(run.start_time, run.created_at)) AS day, run.agent_id, run.skill_id, step.state_type,
       step.currency, COUNT(*) AS steps, COUNT(DISTINCT step.trace_id) AS traces,
       SUM(step.total_tokens) AS tokens, SUM(step.latency_ms) AS latency_ms,
       SUM(step.llm_cost) AS llm_cost, SUM(step.tool_cost) AS tool_cost, SUM(step.compute_cost) AS compute_cost,
       SUM(step.state_cost) AS cost,
       SUM(CASE WHEN step.state_cost IS NULL AND COALESCE(step.cost_status, '') <> 'none' THEN 1 ELSE 0 END)
         AS cost_unknown
FROM trace_step AS step
JOIN trace_run AS run ON run.trace_id = step.trace_id
GROUP BY DATE(COALESCE(run.start_time, run.created_at)), run.agent_id, run.skill_id, step.state_type, step.currency;
CREATE VIEW v_evaluator_cost AS 
SELECT run_id, DATE(created_at) AS day, model_requested AS model, validator_name, currency,
       COUNT(*) AS attempts,
       SUM(CASE WHEN cache_hit THEN 1 ELSE 0 END) AS cache_hits,
       SUM(CASE WHEN error_type IS NULL THEN 0 ELSE 1 END) AS errors,
       SUM(cost) AS cost, SUM(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS cost_unknown
FROM judge_call
GROUP BY run_id, DATE(created_at), model_requested, validator_name, currency;
COMMIT;

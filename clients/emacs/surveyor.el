;;; surveyor.el --- Search code by meaning, impact, checks and rules  -*- lexical-binding: t; -*-

;; Copyright (C) 2026 The Surveyor authors

;; Author: The Surveyor authors
;; Maintainer: The Surveyor authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, languages, matching
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Surveyor indexes the open project on your machine.  It answers searches
;; by meaning, lists callers and what depends on a symbol, says what a
;; change leaves behind, and keeps rules about the code for you and your
;; agents.
;;
;; Install the `surveyor' program, put this file on the `load-path', and
;; bind the map:
;;
;;     (require 'surveyor)
;;     (keymap-global-set "C-c s" surveyor-map)        ; Emacs 29
;;     (global-set-key (kbd "C-c s") surveyor-map)     ; Emacs 28
;;
;;     s  `surveyor-search'            by meaning; with C-u in a list
;;     c  `surveyor-callers'           who calls the definition at point
;;     m  `surveyor-implementations'   what implements it
;;     d  `surveyor-similar'           code that does the same
;;     i  `surveyor-impact'            what depends on it, as a tree
;;     k  `surveyor-check'             what your change leaves behind
;;     r  `surveyor-rules'             rules: list, change, delete
;;     R  `surveyor-remember'          a rule about the symbol at point
;;     a  `surveyor-activity'          what agents read and changed
;;     v  `surveyor-status'            index and language servers
;;
;; With Eglot or lsp-mode the commands use the server that the buffer has,
;; where that is Surveyor: see `surveyor-eglot-setup' and
;; `surveyor-lsp-setup'.  Elsewhere they start `surveyor lsp' by
;; themselves, once for each project, beside whatever server is there.
;;
;; `surveyor-xref-backend' may be added to `xref-backend-functions': then
;; `xref-find-apropos' searches by meaning.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'eieio)
(require 'jsonrpc)
(require 'outline)
(require 'project)
(require 'subr-x)
(require 'tabulated-list)
(require 'url-parse)
(require 'url-util)
(require 'xref)

(declare-function eglot-current-server "eglot" ())
(declare-function eglot--signal-textDocument/didChange "eglot" ())
(declare-function lsp-find-workspace "lsp-mode" (server-id &optional file-name))
(declare-function lsp-register-client "lsp-mode" (client))
(declare-function lsp-request "lsp-mode" (method params &rest args))
(declare-function lsp-stdio-connection "lsp-mode" (command &rest args))
(declare-function make-lsp-client "lsp-mode" (&rest args))
(defvar eglot-server-programs)
(defvar lsp--cur-workspace)

(defgroup surveyor nil
  "Search code by meaning, and what else Surveyor knows of it."
  :group 'tools
  :prefix "surveyor-")

(defcustom surveyor-command '("surveyor" "lsp")
  "The program that serves an editor, with its arguments."
  :type '(repeat string))

(defcustom surveyor-limit 30
  "Most results of a search."
  :type 'natnum)

(defcustom surveyor-timeout 60
  "Seconds after which an answer is no longer waited for.
The first may come only once the engine has loaded its model."
  :type 'natnum)

(defcustom surveyor-modes
  '(python-mode python-ts-mode js-mode js-ts-mode typescript-ts-mode
                tsx-ts-mode go-mode go-ts-mode rust-mode rust-ts-mode
                c-mode c-ts-mode c++-mode c++-ts-mode java-mode
                java-ts-mode ruby-mode ruby-ts-mode)
  "Modes in which `surveyor-eglot-setup' makes Surveyor the server."
  :type '(repeat symbol))

;;; Talking to the server

(defvar surveyor--connections nil
  "Our own connections, by the root of their project.")

(defvar surveyor--documents (make-hash-table :test #'equal)
  "Ticks of the texts that our own connections were told, by buffer.")

(defun surveyor--root ()
  "The root of the project of this buffer, else its folder."
  (let ((project (project-current)))
    (expand-file-name (if project (project-root project) default-directory))))

(defun surveyor--uri (path)
  "The URI of the file at PATH."
  (concat "file://" (and (not (string-prefix-p "/" path)) "/")
          (url-hexify-string (encode-coding-string (expand-file-name path) 'utf-8)
                             url-path-allowed-chars)))

(defun surveyor--path (uri)
  "The path of the file with URI; nil where it is none."
  (when (string-prefix-p "file:" uri)
    (let ((path (decode-coding-string
                 (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8)))
      (if (string-match-p "\\`/[A-Za-z]:" path) (substring path 1) path))))

(defun surveyor--connection ()
  "What answers for this buffer: (eglot . SERVER), (lsp . WORKSPACE) or ours."
  (or (surveyor--eglot-connection)
      (surveyor--lsp-connection)
      (cons 'own (surveyor--own-connection))))

(defun surveyor--eglot-connection ()
  "Eglot's connection of this buffer, where its server is Surveyor."
  (when-let* (((fboundp 'eglot-current-server))
              (server (eglot-current-server))
              ((member (car (last (split-string (car surveyor-command) "/")))
                       (mapcar #'file-name-nondirectory
                               (process-command (jsonrpc--process server))))))
    (cons 'eglot server)))

(defun surveyor--lsp-connection ()
  "The workspace of lsp-mode for this buffer that is Surveyor's."
  (when-let* (((bound-and-true-p lsp-mode))
              ((fboundp 'lsp-find-workspace))
              (workspace (lsp-find-workspace 'surveyor (buffer-file-name))))
    (cons 'lsp workspace)))

(defun surveyor--own-connection ()
  "Our own connection for the project of this buffer, started if need be."
  (let* ((root (surveyor--root))
         (known (cdr (assoc root surveyor--connections))))
    (if (and known (jsonrpc-running-p known))
        known
      (unless (executable-find (car surveyor-command))
        (user-error "There is no `%s'; see `surveyor-command'" (car surveyor-command)))
      (setf (alist-get root surveyor--connections nil nil #'equal)
            (surveyor--start root)))))

(defun surveyor--start (root)
  "Start a server for the project at ROOT, and greet it."
  (let* ((default-directory root)
         (connection
          (jsonrpc-process-connection
           :name "surveyor"
           :process (lambda ()
                      (make-process
                       :name "surveyor" :command surveyor-command :connection-type 'pipe
                       :coding 'utf-8-emacs-unix :noquery t
                       :stderr (get-buffer-create "*surveyor stderr*")))
           :request-dispatcher (lambda (_connection _method _params) nil)
           :notification-dispatcher #'surveyor--notified)))
    (jsonrpc-request
     connection :initialize
     `(:processId ,(emacs-pid) :rootUri ,(surveyor--uri root)
                  :capabilities ,(make-hash-table)
                  :workspaceFolders [(:uri ,(surveyor--uri root)
                                           :name ,(file-name-nondirectory
                                                   (directory-file-name root)))])
     :timeout surveyor-timeout)
    (jsonrpc-notify connection :initialized (make-hash-table))
    connection))

(defun surveyor--notified (_connection method params)
  "Show a message of the server: METHOD with PARAMS."
  (when (eq method 'window/showMessage)
    (message "Surveyor: %s" (plist-get params :message))))

(defun surveyor--sync (connection)
  "Tell CONNECTION, which is ours, the text of this buffer."
  (when-let* ((file (buffer-file-name))
              ((eq connection (cdr (assoc (surveyor--root) surveyor--connections)))))
    (let ((known (gethash (current-buffer) surveyor--documents))
          (now (list connection (buffer-chars-modified-tick)))
          (text (save-restriction
                  (widen)
                  (buffer-substring-no-properties (point-min) (point-max)))))
      (cond ((equal known now))
            ((eq (car known) connection)
             (jsonrpc-notify connection :textDocument/didChange
                             `(:textDocument (:uri ,(surveyor--uri file) :version ,(cadr now))
                                             :contentChanges [(:text ,text)])))
            (t
             (jsonrpc-notify connection :textDocument/didOpen
                             `(:textDocument (:uri ,(surveyor--uri file) :version ,(cadr now)
                                                   :languageId ,(surveyor--language)
                                                   :text ,text)))
             (add-hook 'kill-buffer-hook #'surveyor--closed nil t)))
      (puthash (current-buffer) now surveyor--documents))))

(defun surveyor--closed ()
  "Tell our own connection that the file of this buffer is closed."
  (when-let* ((connection (car (gethash (current-buffer) surveyor--documents))))
    (remhash (current-buffer) surveyor--documents)
    (when (jsonrpc-running-p connection)
      (jsonrpc-notify connection :textDocument/didClose
                      `(:textDocument (:uri ,(surveyor--uri (buffer-file-name))))))))

(defun surveyor--language ()
  "The language of this buffer, as LSP names it."
  (string-remove-suffix "-ts" (string-remove-suffix "-mode" (symbol-name major-mode))))

(defun surveyor--flush (kind server)
  "See to it that SERVER, of KIND, knows the text of buffers."
  (if (eq kind 'own)
      (dolist (buffer (cons (current-buffer) (hash-table-keys surveyor--documents)))
        (when (buffer-live-p buffer)
          (with-current-buffer buffer
            (surveyor--sync server))))
    (when (fboundp 'eglot--signal-textDocument/didChange)
      (eglot--signal-textDocument/didChange))))

(defun surveyor--lsp-request (workspace method params)
  "The answer of lsp-mode to METHOD with PARAMS.
What is Surveyor's own goes to WORKSPACE, the rest to all that serve
the buffer: another server may answer it."
  (surveyor--plain (if (string-prefix-p "surveyor/" method)
                       (let ((lsp--cur-workspace workspace))
                         (lsp-request method params))
                     (lsp-request method params))))

(defun surveyor--request (method params)
  "The answer to METHOD with PARAMS, as plists and vectors.
\\[keyboard-quit] ends the wait."
  (pcase-let ((`(,kind . ,server) (surveyor--connection)))
    (if (eq kind 'lsp)
        (surveyor--lsp-request server (substring (symbol-name method) 1) params)
      (surveyor--flush kind server)
      (condition-case failed
          (jsonrpc-request server method params :timeout surveyor-timeout)
        (jsonrpc-error (user-error "Surveyor: %s" (surveyor--reason failed)))))))

(defun surveyor--request-async (method params done)
  "Ask METHOD with PARAMS, and call DONE with the answer later."
  (pcase-let ((`(,kind . ,server) (surveyor--connection))
              (buffer (current-buffer)))
    (if (eq kind 'lsp)
        (funcall done (surveyor--request method params))
      (surveyor--flush kind server)
      (jsonrpc-async-request
       server method params :timeout surveyor-timeout
       :success-fn (lambda (answer)
                     (with-current-buffer (if (buffer-live-p buffer) buffer (current-buffer))
                       (funcall done answer)))
       :error-fn (lambda (failed) (message "Surveyor: %s" (plist-get failed :message)))
       :timeout-fn (lambda () (message "Surveyor does not answer %s" method))))))

(defun surveyor--reason (failed)
  "The message of FAILED, an error of jsonrpc."
  (or (alist-get 'jsonrpc-error-message (cddr failed)) (error-message-string failed)))

(defun surveyor--plain (value)
  "VALUE as jsonrpc gives it: objects as plists, lists as vectors."
  (cond ((hash-table-p value)
         (let (plist)
           (maphash (lambda (name each)
                      (setq plist (plist-put plist (intern (format ":%s" name))
                                             (surveyor--plain each))))
                    value)
           plist))
        ((vectorp value) (cl-map 'vector #'surveyor--plain value))
        ((and (consp value) (not (keywordp (car value))))
         (cl-map 'vector #'surveyor--plain value))
        (t value)))

(defun surveyor--text (value)
  "VALUE where it is a string with something in it."
  (and (stringp value) (not (string-empty-p value)) value))

(defun surveyor--true (value)
  "Whether VALUE is true in JSON."
  (not (memq value '(nil :json-false))))

(defun surveyor--counted (number noun)
  "NUMBER with NOUN, which takes an s unless there is one."
  (format "%d %s%s" number noun (if (= number 1) "" "s")))

;;; Places

(defun surveyor--position ()
  "Return point: lines from 0, columns in units of UTF-16."
  (list :line (1- (line-number-at-pos nil t))
        :character (surveyor--units (buffer-substring-no-properties
                                     (line-beginning-position) (point)))))

(defun surveyor--units (text)
  "The length of TEXT in units of UTF-16."
  (/ (length (encode-coding-string text 'utf-16le-unix)) 2))

(defun surveyor--document ()
  "This buffer's file as LSP names it."
  (list :uri (surveyor--uri (or (buffer-file-name) (user-error "This buffer has no file")))))

(defun surveyor--at-point ()
  "This buffer's file and point, as most requests take them."
  (list :textDocument (surveyor--document) :position (surveyor--position)))

(defun surveyor--scope ()
  "The URI of what is searched: the project of this buffer."
  (surveyor--uri (or (buffer-file-name) (directory-file-name (surveyor--root)))))

(defun surveyor--xref (summary uri range)
  "The start of RANGE in URI, shown as SUMMARY; nil where that is no file."
  (when-let* ((path (surveyor--path uri))
              (start (plist-get range :start)))
    (xref-make summary (xref-make-file-location path (1+ (plist-get start :line))
                                                (plist-get start :character)))))

(defun surveyor--goto (uri range)
  "Show the start of RANGE in the file of URI."
  (let ((xref (or (surveyor--xref "" uri range) (user-error "It has no place in a file"))))
    (xref-push-marker-stack)
    (xref-pop-to-location xref)))

(defun surveyor--show (xrefs what)
  "List XREFS; WHAT was looked for."
  (unless xrefs
    (user-error "Surveyor knows of no %s%s" what (surveyor--behind-now)))
  (funcall xref-show-xrefs-function (lambda () xrefs)
           `((window . ,(selected-window)) (display-action . nil))))

(defun surveyor--behind-now ()
  "What the index of the buffer's project lacks, for a message."
  (let ((status (ignore-errors (surveyor--request :surveyor/status (make-hash-table))))
        (file (or (buffer-file-name) default-directory)))
    (mapconcat (lambda (project)
                 (if (string-prefix-p (file-name-as-directory (plist-get project :root)) file)
                     (surveyor--behind project)
                   ""))
               (plist-get status :projects) "")))

;;; Searching

(defvar surveyor-history nil
  "What was searched.")

(defun surveyor--search (query)
  "The answer to QUERY."
  (surveyor--request :surveyor/search
                     (list :query query :limit surveyor-limit :uri (surveyor--scope))))

(defun surveyor--behind (answer)
  "What the index lacks that gave ANSWER, for a prompt; empty where nothing."
  (let ((status (plist-get answer :status))
        (files (or (plist-get answer :filesBehind) 0)))
    (cond ((equal status "healthy") "")
          ((> files 0) (format " [index %s, %d file%s behind]" status files (if (= files 1) "" "s")))
          ((equal status "indexing") " [the index is being made]")
          (t (format " [index %s]" status)))))

(defun surveyor--line (result)
  "RESULT in a line."
  (let ((name (or (surveyor--text (plist-get result :signature))
                  (surveyor--text (plist-get result :symbol))
                  (surveyor--text (plist-get result :title)))))
    (concat (propertize (format "%s:%s" (plist-get result :path) (plist-get result :line))
                        'face 'shadow)
            (and name (concat "  " (car (split-string name "\n")))))))

(defun surveyor--result-xref (result)
  "RESULT as a place, where it has one."
  (let ((reasons (append (plist-get result :reasons) nil)))
    (surveyor--xref (concat (or (surveyor--text (plist-get result :signature))
                                (surveyor--text (plist-get result :symbol))
                                (surveyor--first-line (plist-get result :snippet)))
                            (and reasons (format "  (%s)" (string-join reasons "; "))))
                    (plist-get result :uri) (plist-get result :range))))

(defun surveyor--first-line (text)
  "The first line of TEXT that is not blank."
  (or (seq-find (lambda (line) (not (string-blank-p line))) (split-string (or text "") "\n")) ""))

;;;###autoload
(defun surveyor-search (query &optional in-list)
  "Search the project for QUERY by meaning, and go to what is chosen.
With a prefix argument, IN-LIST, show all results in an xref buffer,
where moving shows the code."
  (interactive (list (read-string "Search by meaning: " nil 'surveyor-history
                                  (thing-at-point 'symbol))
                     current-prefix-arg))
  (let* ((answer (surveyor--search query))
         (results (seq-filter (lambda (result) (surveyor--path (plist-get result :uri)))
                              (plist-get answer :results)))
         (behind (surveyor--behind answer)))
    (unless results
      (user-error "Nothing was found%s; `surveyor-status' says how far the index is" behind))
    (if in-list
        (surveyor--show (mapcar #'surveyor--result-xref results) (concat query behind))
      (let ((chosen (surveyor--choose (format "%s%s: " query behind) results)))
        (surveyor--goto (plist-get chosen :uri) (plist-get chosen :range))))))

(defun surveyor--choose (prompt results)
  "One of RESULTS, in their order, asked for with PROMPT."
  (let* ((lines (mapcar (lambda (result) (cons (surveyor--line result) result)) results))
         (table (lambda (text predicate action)
                  (if (eq action 'metadata)
                      `(metadata (display-sort-function . identity)
                                 (cycle-sort-function . identity)
                                 (annotation-function
                                  . ,(lambda (line) (surveyor--note (cdr (assoc line lines))))))
                    (complete-with-action action lines text predicate)))))
    (cdr (assoc (minibuffer-with-setup-hook #'surveyor--show-choices
                  (completing-read prompt table nil t nil nil (caar lines)))
                lines))))

(defun surveyor--show-choices ()
  "Show the answers, where nothing else does before a key asks for them."
  (when (and (eq completing-read-function #'completing-read-default)
             (not (bound-and-true-p icomplete-mode))
             (not (bound-and-true-p vertico-mode)))
    (let ((inhibit-message t))
      (minibuffer-completion-help))))

(defun surveyor--note (result)
  "Rules of RESULT and the first line of its text, for a list."
  (let ((rules (append (plist-get result :rules) nil)))
    (propertize (concat (and rules (format "  [%s]" (string-join rules ", ")))
                        "  " (string-trim (surveyor--first-line (plist-get result :snippet))))
                'face 'completions-annotations)))

;;;###autoload
(defun surveyor-similar (start end)
  "List code that does the same as the region from START to END.
Without one, as the definition around point."
  (interactive (if (use-region-p) (list (region-beginning) (region-end)) (list (point) (point))))
  (let* ((range (list :start (save-excursion (goto-char start) (surveyor--position))
                      :end (save-excursion (goto-char end) (surveyor--position))))
         (answer (surveyor--request :surveyor/similar
                                    (list :textDocument (surveyor--document) :range range))))
    (surveyor--show (delq nil (mapcar #'surveyor--result-xref (plist-get answer :results)))
                    "code that does the same")))

;;;###autoload
(defun surveyor-callers ()
  "List callers of the definition at point."
  (interactive)
  (let ((items (surveyor--request :textDocument/prepareCallHierarchy (surveyor--at-point))))
    (when (seq-empty-p items)
      (user-error "Surveyor knows of no definition at point%s" (surveyor--behind-now)))
    (surveyor--show
     (cl-loop for item across (or items [])
              for calls = (surveyor--request :callHierarchy/incomingCalls (list :item item))
              nconc (cl-loop for call across (or calls []) nconc (surveyor--call-xrefs call)))
     "callers")))

(defun surveyor--call-xrefs (call)
  "The places of CALL, an incoming one."
  (let ((from (plist-get call :from)))
    (cl-loop for range across (plist-get call :fromRanges)
             for xref = (surveyor--xref (plist-get from :name) (plist-get from :uri) range)
             when xref collect xref)))

;;;###autoload
(defun surveyor-implementations ()
  "List what implements the symbol at point."
  (interactive)
  (surveyor--show (surveyor--locations :textDocument/implementation) "implementations"))

(defun surveyor--locations (method &optional more)
  "Places that METHOD gives for point, asked with MORE as well."
  (let ((answer (surveyor--request method (append (surveyor--at-point) more)))
        (name (or (thing-at-point 'symbol) "")))
    (cl-loop for each across (if (vectorp answer) answer (vconcat (and answer (list answer))))
             for xref = (surveyor--xref name
                                        (or (plist-get each :uri) (plist-get each :targetUri))
                                        (or (plist-get each :range)
                                            (plist-get each :targetSelectionRange)))
             when xref collect xref)))

;;; Xref

;;;###autoload
(defun surveyor-xref-backend ()
  "Surveyor for `xref-backend-functions', in buffers that have a file."
  (and (buffer-file-name) 'surveyor))

(cl-defmethod xref-backend-identifier-at-point ((_backend (eql surveyor)))
  "The symbol at point."
  (thing-at-point 'symbol))

(cl-defmethod xref-backend-identifier-completion-table ((_backend (eql surveyor)))
  "Any name may be asked for."
  nil)

(cl-defmethod xref-backend-definitions ((_backend (eql surveyor)) identifier)
  "Where IDENTIFIER is defined: at point, else under that name anywhere."
  (if (equal identifier (thing-at-point 'symbol))
      (surveyor--locations :textDocument/definition)
    (cl-loop for each across (surveyor--request :workspace/symbol (list :query identifier))
             for place = (plist-get each :location)
             when (equal (plist-get each :name) identifier)
             collect (surveyor--xref identifier (plist-get place :uri) (plist-get place :range)))))

(cl-defmethod xref-backend-references ((_backend (eql surveyor)) _identifier)
  "References of the symbol at point."
  (surveyor--locations :textDocument/references '(:context (:includeDeclaration t))))

(cl-defmethod xref-backend-apropos ((_backend (eql surveyor)) pattern)
  "What PATTERN means."
  (delq nil (mapcar #'surveyor--result-xref
                (plist-get (surveyor--search pattern) :results))))

;;; Impact

(defvar surveyor-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'surveyor-tree-visit)
    (define-key map (kbd "TAB") #'outline-toggle-children)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    map)
  "Keys of a tree.")

(define-derived-mode surveyor-tree-mode special-mode "Surveyor"
  "What depends on a symbol, as a tree.
\\<surveyor-tree-mode-map>\\[surveyor-tree-visit] goes to a line's code,
\\[outline-toggle-children] folds what is under it; `next-error' goes on to the next."
  (setq-local outline-regexp " *[^ \n]"
              outline-level (lambda () (1+ (/ (current-indentation) 2)))
              next-error-function #'surveyor-tree-next
              truncate-lines t)
  (outline-minor-mode 1))

(defun surveyor-tree-visit ()
  "Go to the code of this line."
  (interactive)
  (let ((item (get-text-property (line-beginning-position) 'surveyor-item)))
    (unless item
      (user-error "This line has no place"))
    (surveyor--goto (plist-get item :uri) (plist-get item :range))))

(defun surveyor-tree-next (number &optional reset)
  "Go to the NUMBERth place from here, or with RESET from the start."
  (when reset
    (goto-char (point-min)))
  (let ((step (if (< number 0) -1 1)))
    (dotimes (_ (abs number))
      (unless (and (zerop (forward-line step))
                   (progn
                     (while (and (not (eobp))
                                 (not (get-text-property (point) 'surveyor-item))
                                 (zerop (forward-line step))))
                     (get-text-property (point) 'surveyor-item)))
        (user-error "There are no more places"))))
  (when-let* ((window (get-buffer-window)))
    (set-window-point window (point)))
  (surveyor-tree-visit))

;;;###autoload
(defun surveyor-impact ()
  "Show what depends on the symbol at point, and what it depends on."
  (interactive)
  (surveyor--request-async
   :surveyor/impact (surveyor--at-point)
   (lambda (answer)
     (if (not (surveyor--text (plist-get answer :symbol)))
         (message "There is no symbol at point that Surveyor knows")
       (surveyor--show-impact answer)))))

(defun surveyor--show-impact (answer)
  "Show ANSWER, to what depends on a symbol, in a buffer."
  (with-current-buffer (get-buffer-create "*surveyor impact*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (surveyor-tree-mode)
      (setq header-line-format
            (format "Impact of %s (%s%s)" (plist-get answer :symbol) (plist-get answer :precision)
                    (if (surveyor--true (plist-get answer :complete)) "" ", incomplete")))
      (surveyor--insert-tree "Depends on it" (append (plist-get answer :inbound) nil))
      (surveyor--insert-tree "It depends on" (append (plist-get answer :outbound) nil))
      (goto-char (point-min)))
    (setq next-error-last-buffer (current-buffer))
    (pop-to-buffer (current-buffer))))

(defun surveyor--insert-tree (title items)
  "Insert ITEMS under TITLE, each below what it is reached by."
  (insert (propertize (format "%s (%d)\n" title (length items)) 'face 'bold))
  (let ((children (make-hash-table :test #'eq)))
    (dolist (item (reverse items))
      (push item (gethash (surveyor--parent item items) children)))
    (surveyor--insert-children nil children 1)))

(defun surveyor--parent (item items)
  "The one of ITEMS by which ITEM is reached; nil where none is."
  (when-let* ((step (car (last (append (plist-get item :via) nil)))))
    (seq-find (lambda (other)
                (and (= (plist-get other :depth) (1- (plist-get item :depth)))
                     (surveyor--step-p step other)))
              items)))

(defun surveyor--step-p (step item)
  "Whether STEP, `path::name' or a path, is ITEM."
  (let ((parts (split-string step "::")))
    (and (equal (plist-get item :name) (or (cadr parts) step))
         (string-suffix-p (concat "/" (car parts))
                          (or (surveyor--path (plist-get item :uri)) "")))))

(defun surveyor--insert-children (above children depth)
  "Insert the CHILDREN of ABOVE, DEPTH deep, and theirs."
  (dolist (item (gethash above children))
    (let ((path (surveyor--path (plist-get item :uri)))
          (line (plist-get (plist-get (plist-get item :range) :start) :line)))
      (insert (propertize
               (format "%s%s %s%s  %s\n" (make-string (* 2 depth) ?\s)
                       (plist-get item :name)
                       (propertize (plist-get item :kind) 'face 'shadow)
                       (if (surveyor--true (plist-get item :isTest)) " (test)" "")
                       (propertize (if path (format "%s:%d" (file-relative-name path) (1+ line))
                                     "")
                                   'face 'shadow))
               'surveyor-item item)))
    (surveyor--insert-children item children (1+ depth))))

;;; Checking a change

;;;###autoload
(defun surveyor-check (&optional diff)
  "List what a change broke, as names that are gone.
DIFF is `staged' or a range of git, asked for with a prefix argument;
without it, the working tree with unsaved text."
  (interactive (list (and current-prefix-arg
                          (completing-read "Change (staged, or a range): " '("staged")))))
  (message "Surveyor looks at the change...")
  (surveyor--request-async
   :surveyor/check (list :uri (surveyor--scope) :diff (or diff "working"))
   #'surveyor--show-check))

(defun surveyor--show-check (answer)
  "Show ANSWER, to a check of a change, as a compilation is shown."
  (let ((places (append (plist-get answer :places) nil))
        (tests (append (plist-get answer :tests) nil)))
    (with-current-buffer (get-buffer-create "*surveyor check*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (compilation-mode "Surveyor-Check")
        (setq default-directory (file-name-as-directory (plist-get answer :root)))
        (insert (format "%s to look at, %s the change\n\n"
                        (surveyor--counted (length places) "place")
                        (concat (surveyor--counted (length tests) "test")
                                (if (length= tests 1) " reaches" " reach"))))
        (dolist (place places)
          (let ((start (plist-get (plist-get place :range) :start)))
            (insert (format "%s:%d:%d: %s: %s\n" (plist-get place :path)
                            (1+ (plist-get start :line)) (1+ (plist-get start :character))
                            (if (equal (plist-get place :certainty) "certain") "error" "warning")
                            (plist-get place :message)))))
        (dolist (test tests)
          (insert (format "%s:1: info: a test that reaches the change\n" test)))
        (dolist (lack (delq nil (cons (surveyor--text (plist-get answer :notice))
                                      (append (plist-get answer :unasked) nil))))
          (insert (format "\nNot looked at: %s\n" lack)))
        (goto-char (point-min)))
      (setq next-error-last-buffer (current-buffer))
      (display-buffer (current-buffer)))))

;;; Rules

(defvar surveyor-rules-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'surveyor-rules-edit)
    (define-key map "+" #'surveyor-remember)
    (define-key map "d" #'surveyor-rules-delete)
    (define-key map "o" #'surveyor-rules-visit)
    map)
  "Keys of the list of rules.")

(defvar-local surveyor--rules-origin nil
  "The buffer whose project's rules are listed or changed here.")

(define-derived-mode surveyor-rules-mode tabulated-list-mode "Surveyor-Rules"
  "Rules of a project.
\\<surveyor-rules-mode-map>\\[surveyor-rules-edit] changes one, \\[surveyor-remember] adds one,
\\[surveyor-rules-delete] deletes one, \\[surveyor-rules-visit] goes to its code."
  (setq tabulated-list-format [("Label" 28 t) ("Scope" 8 t) ("Rule" 48 t) ("Code" 0 t)])
  (add-hook 'tabulated-list-revert-hook #'surveyor--fill-rules nil t)
  (tabulated-list-init-header))

;;;###autoload
(defun surveyor-rules ()
  "List the rules of the project."
  (interactive)
  (let ((origin (current-buffer)))
    (pop-to-buffer (get-buffer-create "*surveyor rules*"))
    (surveyor-rules-mode)
    (setq surveyor--rules-origin origin)
    (surveyor--fill-rules)
    (tabulated-list-print)))

(defmacro surveyor--from (origin &rest body)
  "Evaluate BODY in the buffer ORIGIN while it lives, else here."
  (declare (indent 1) (debug t))
  `(with-current-buffer (if (buffer-live-p ,origin) ,origin (current-buffer)) ,@body))

(defun surveyor--fill-rules ()
  "Ask for the rules anew."
  (let ((answer (surveyor--from surveyor--rules-origin
                  (surveyor--request :surveyor/rules (list :uri (surveyor--scope))))))
    (setq tabulated-list-entries
          (mapcar (lambda (rule)
                    (list rule
                          (vector (plist-get rule :label) (plist-get rule :scope)
                                  (concat (and (surveyor--true (plist-get rule :needsReview))
                                               "(look again) ")
                                          (or (surveyor--text (plist-get rule :title))
                                              (surveyor--first-line (plist-get rule :content))))
                                  (or (surveyor--text (plist-get rule :anchor)) ""))))
                  (plist-get answer :rules)))))

(defun surveyor--rule ()
  "The rule of this line."
  (or (tabulated-list-get-id) (user-error "There is no rule in this line")))

(defun surveyor-rules-visit ()
  "Go to the code that the rule is about."
  (interactive)
  (let* ((anchor (or (surveyor--text (plist-get (surveyor--rule) :anchor))
                     (user-error "This rule has no place")))
         (file (car (split-string anchor "[#:]")))
         (name (cadr (split-string anchor "#")))
         (root (surveyor--from surveyor--rules-origin (surveyor--root))))
    (find-file (expand-file-name file root))
    (goto-char (point-min))
    (when name
      (re-search-forward (concat "\\_<" (regexp-quote (car (last (split-string name "[.]"))))
                                 "\\_>")
                         nil t))))

(defun surveyor-rules-delete ()
  "Delete the rule of this line, after a question."
  (interactive)
  (let ((rule (surveyor--rule)))
    (when (yes-or-no-p (format "Delete the rule %s? " (plist-get rule :label)))
      (surveyor--write-rule surveyor--rules-origin "remove" rule nil)
      (revert-buffer))))

(defun surveyor--write-rule (origin action rule more)
  "Do ACTION to RULE of the project of buffer ORIGIN, with MORE parameters."
  (surveyor--from origin
    (surveyor--request :surveyor/remember
                       (append (list :action action :label (plist-get rule :label)
                                     :scope (plist-get rule :scope)
                                     :uri (surveyor--scope))
                               more))))

(defvar surveyor-rule-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'surveyor-rule-save)
    (define-key map (kbd "C-c C-k") #'kill-buffer-and-window)
    (define-key map [remap save-buffer] #'surveyor-rule-save)
    map)
  "Keys while a rule is written.")

(defvar-local surveyor--rule-written nil
  "The rule that is written here: (ACTION RULE PLACE).")

(define-derived-mode surveyor-rule-mode text-mode "Surveyor-Rule"
  "The text of a rule.
\\<surveyor-rule-mode-map>\\[surveyor-rule-save] keeps it, \\[kill-buffer-and-window] does not."
  (setq header-line-format
        (substitute-command-keys
         "Rule: \\[surveyor-rule-save] keeps it, \\[kill-buffer-and-window] does not")))

(defun surveyor--write (origin action rule place)
  "Write RULE in a buffer; saving does ACTION, at PLACE, for buffer ORIGIN."
  (pop-to-buffer (get-buffer-create (format "*surveyor rule %s*" (plist-get rule :label))))
  (surveyor-rule-mode)
  (setq surveyor--rules-origin origin
        surveyor--rule-written (list action rule place))
  (erase-buffer)
  (insert (or (plist-get rule :content) ""))
  (set-buffer-modified-p nil))

(defun surveyor-rules-edit ()
  "Change the rule of this line."
  (interactive)
  (surveyor--write surveyor--rules-origin "update" (surveyor--rule) nil))

;;;###autoload
(defun surveyor-remember (label &optional everywhere)
  "Write a rule called LABEL about the symbol at point, for you and your agents.
With a prefix argument, EVERYWHERE, it is for all projects and about no symbol."
  (interactive (list (read-string "Label of the rule: ") current-prefix-arg))
  (surveyor--write (if (derived-mode-p 'surveyor-rules-mode) surveyor--rules-origin
                     (current-buffer))
                   "add" (list :label label :scope (if everywhere "global" "project"))
                   (and (not everywhere) (buffer-file-name) (surveyor--at-point))))

(defun surveyor-rule-save ()
  "Keep the rule that is written here."
  (interactive)
  (pcase-let* ((`(,action ,rule ,place) surveyor--rule-written)
               (text (string-trim (buffer-string)))
               (answer (surveyor--write-rule surveyor--rules-origin action rule
                                             (append (list :content text) place))))
    (set-buffer-modified-p nil)
    (quit-window t)
    (when-let* ((list (get-buffer "*surveyor rules*")))
      (with-current-buffer list
        (revert-buffer)))
    (message "%s: %s" (if (equal (plist-get answer :status) "done") "Kept" "Will be kept")
             (plist-get answer :label))))

;;; Agents and the index

;;;###autoload
(defun surveyor-activity ()
  "List what agents read and changed in the project, the latest last."
  (interactive)
  (surveyor--request-async
   :surveyor/activity (list :limit 500)
   (lambda (answer)
     (with-current-buffer (get-buffer-create "*surveyor activity*")
       (let ((inhibit-read-only t))
         (erase-buffer)
         (surveyor-tree-mode)
         (seq-do #'surveyor--insert-call (plist-get answer :calls))
         (when (zerop (buffer-size))
           (insert "No agent has used Surveyor here yet.\n"))
         (goto-char (point-max)))
       (setq next-error-last-buffer (current-buffer))
       (pop-to-buffer (current-buffer))))))

(defun surveyor--insert-call (call)
  "Insert CALL of an agent's tool, and the places that it was about."
  (insert (propertize (format "%s %s %s: %s\n" (format-time-string "%T" (plist-get call :at))
                              (plist-get call :client) (plist-get call :tool)
                              (or (surveyor--text (plist-get call :asked)) ""))
                      'face (if (surveyor--true (plist-get call :failed)) 'error 'bold)))
  (seq-do (lambda (place)
            (let ((line (plist-get (plist-get (plist-get place :range) :start) :line)))
              (insert (propertize (format "  %s %s:%d\n" (plist-get place :kind)
                                          (plist-get place :path) (1+ line))
                                  'surveyor-item place))))
          (plist-get call :places)))

;;;###autoload
(defun surveyor-status ()
  "Say how far the index is, and which language servers run."
  (interactive)
  (let* ((answer (surveyor--request :surveyor/status (make-hash-table)))
         (words (append
                 (mapcar (lambda (project)
                           (format "%s: %s, %s%s" (plist-get project :name)
                                   (plist-get project :status)
                                   (surveyor--counted (plist-get project :files) "file")
                                   (if-let* ((why (surveyor--text (plist-get project :message))))
                                       (concat " (" why ")")
                                     "")))
                         (plist-get answer :projects))
                 (mapcar (lambda (server)
                           (format "%s: %s" (plist-get server :name) (plist-get server :state)))
                         (plist-get answer :upstreams)))))
    (message "%s" (if words (string-join words "; ") "Surveyor has no project here"))))

(defun surveyor-shutdown ()
  "End the servers that these commands have started."
  (interactive)
  (dolist (each surveyor--connections)
    (when (jsonrpc-running-p (cdr each))
      (ignore-errors (jsonrpc-request (cdr each) :shutdown nil :timeout 5))
      (ignore-errors (jsonrpc-notify (cdr each) :exit nil))))
  (setq surveyor--connections nil)
  (clrhash surveyor--documents))

(add-hook 'kill-emacs-hook #'surveyor-shutdown)

;;; Set-up

;;;###autoload
(defun surveyor-eglot-setup ()
  "Make Surveyor the server of Eglot in `surveyor-modes'.
It starts the language's own server, and passes on all that this offers."
  (interactive)
  (require 'eglot)
  (add-to-list 'eglot-server-programs
               `(,surveyor-modes . (,@surveyor-command
                                    :initializationOptions (:mode "full")))))

;;;###autoload
(defun surveyor-lsp-setup (&optional alone)
  "Have lsp-mode start Surveyor in every buffer, beside the server that is there.
With ALONE, in place of it: Surveyor starts the language's own server
then, and passes on all that this offers."
  (interactive "P")
  (require 'lsp-mode)
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () surveyor-command))
                    :activation-fn (lambda (&rest _) t)
                    :initialization-options (list :mode (if alone "full" "companion"))
                    :add-on? (not alone)
                    :priority (if alone 1 0)
                    :server-id 'surveyor)))

;;;###autoload
(defvar surveyor-map
  (let ((map (make-sparse-keymap)))
    (define-key map "s" #'surveyor-search)
    (define-key map "c" #'surveyor-callers)
    (define-key map "m" #'surveyor-implementations)
    (define-key map "d" #'surveyor-similar)
    (define-key map "i" #'surveyor-impact)
    (define-key map "k" #'surveyor-check)
    (define-key map "r" #'surveyor-rules)
    (define-key map "R" #'surveyor-remember)
    (define-key map "a" #'surveyor-activity)
    (define-key map "v" #'surveyor-status)
    map)
  "Surveyor's commands, to be bound to a prefix key.")

(provide 'surveyor)
;;; surveyor.el ends here

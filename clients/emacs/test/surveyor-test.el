;;; surveyor-test.el --- Tests of surveyor.el  -*- lexical-binding: t; -*-

;;; Commentary:

;; Run by tests/lsp/test_emacs.py, which makes the project and names its
;; root in SURVEYOR_TEST_PROJECT; without it only what needs no server runs.

;;; Code:

(require 'ert)
(require 'surveyor)

(defconst surveyor-test-project (getenv "SURVEYOR_TEST_PROJECT"))

(defun surveyor-test-wait (test)
  "Wait until TEST is true, and return what it gives."
  (let ((deadline (time-add nil 120)) found)
    (while (not (or (setq found (funcall test)) (time-less-p deadline nil)))
      (accept-process-output nil 0.1))
    found))

(defun surveyor-test-text (buffer)
  "The text of BUFFER."
  (with-current-buffer buffer
    (buffer-substring-no-properties (point-min) (point-max))))

(defun surveyor-test-visit (name text)
  "Visit the file NAME of the project, with point at TEXT."
  (find-file (expand-file-name name surveyor-test-project))
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(ert-deftest surveyor-test-paths-and-uris ()
  (dolist (path '("/a/b.py" "/a b/é.py" "/a#1/100%/b?.py"))
    (should (equal (surveyor--path (surveyor--uri path)) path)))
  (should (equal (surveyor--uri "/a b/é.py") "file:///a%20b/%C3%A9.py"))
  (should-not (surveyor--path "")))

(ert-deftest surveyor-test-columns-are-units-of-utf-16 ()
  (with-temp-buffer
    (insert "x\n😀é y")
    (should (equal (surveyor--position) '(:line 1 :character 5)))))

(ert-deftest surveyor-test-answers-of-lsp-mode-are-like-those-of-jsonrpc ()
  (let ((object (make-hash-table :test #'equal)))
    (puthash "results" (list (make-hash-table)) object)
    (puthash "via" ["a"] object)
    (should (equal (plist-get (surveyor--plain object) :results) [nil]))
    (should (equal (plist-get (surveyor--plain object) :via) ["a"]))))

(ert-deftest surveyor-test-what-the-index-lacks-is-said-once ()
  (cl-flet ((said (status files)
              (surveyor--behind (list :status status :filesBehind files))))
    (should (equal (said "healthy" 0) ""))
    (should (equal (said "indexing" 1) " [index indexing, 1 file behind]"))
    (should (equal (said "indexing" 0) " [the index is being made]"))
    (should (equal (said "uncertain" nil) " [index uncertain]")))
  (cl-letf (((symbol-function 'surveyor--request)
             (lambda (&rest _)
               '(:projects ((:root "/a" :status "healthy" :filesBehind 0)
                            (:root "/a/b" :status "indexing" :filesBehind 0)))))
            (default-directory "/a/b/"))
    (should (equal (surveyor--behind-now) " [the index is being made]"))
    (should (string-suffix-p "[the index is being made]"
                             (cadr (should-error (surveyor--show nil "callers")))))))

(ert-deftest surveyor-test-a-tree-has-each-item-below-what-it-is-reached-by ()
  (with-temp-buffer
    (cl-flet ((item (name depth &rest via)
                (list :name name :via (vconcat via) :depth depth :kind "function"
                      :uri "file:///p/a.py" :isTest :json-false
                      :range '(:start (:line 0 :character 0)))))
      (surveyor--insert-tree "Uses" (list (item "b" 1) (item "d" 2 "z.py::x") (item "e" 1)
                                          (item "c" 2 "a.py::b") (item "f" 3 "a.py::b" "a.py::c")))
      (should (equal (mapcar (lambda (line) (replace-regexp-in-string " function.*" "" line))
                             (split-string (buffer-string) "\n" t))
                     '("Uses (5)" "  b" "    c" "      f" "  d" "  e"))))))

(ert-deftest surveyor-test-every-command-is-on-the-map-and-in-the-commentary ()
  (let ((commentary (with-temp-buffer
                      (insert-file-contents (locate-library "surveyor.el"))
                      (buffer-substring (point-min) (search-forward ";;; Code:")))))
    (map-keymap (lambda (_key command)
                  (should (commandp command))
                  (should (string-search (format "`%s'" command) commentary)))
                surveyor-map)))

(ert-deftest surveyor-test-a-session ()
  (skip-unless surveyor-test-project)
  (surveyor-test-visit "shop/price.py" "total")
  (should (surveyor-test-wait
           (lambda ()
             (let ((projects (plist-get (surveyor--request :surveyor/status (make-hash-table))
                                        :projects)))
               (and (seq-some (lambda (each) (equal (plist-get each :status) "healthy"))
                              projects))))))
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt table &rest _) (car (all-completions "" table)))))
    (surveyor-search "call again after a failure"))
  (should (equal (list (buffer-name) (line-number-at-pos)) '("retry.py" 4)))
  (surveyor-test-visit "shop/price.py" "total")
  (surveyor-callers)
  (should (string-match-p "shop/cart.py\n8: ?pay" (surveyor-test-text "*xref*")))
  (surveyor-test-visit "shop/price.py" "total")
  (goto-char (point-max))
  (should (string-match-p "no definition at point"
                          (error-message-string (should-error (surveyor-callers)))))
  (surveyor-test-visit "shop/price.py" "total")
  (surveyor-impact)
  (should (surveyor-test-wait (lambda () (get-buffer "*surveyor impact*"))))
  (should (string-match-p "^  Cart.pay method  .*cart.py:8" (surveyor-test-text "*surveyor impact*")))
  (with-current-buffer "*surveyor impact*"
    (surveyor-tree-next 1 t))
  (should (member (buffer-name (window-buffer)) '("bill.py" "cart.py")))
  (surveyor-test-visit "shop/price.py" "items: list[int]")
  (replace-match "items: list[int], rate: int")
  (surveyor-check)
  (should (surveyor-test-wait (lambda () (get-buffer "*surveyor check*"))))
  (should (string-match-p "^shop/cart.py:8:16: error: does not pass rate"
                          (surveyor-test-text "*surveyor check*")))
  (surveyor-test-visit "shop/price.py" "total")
  (surveyor-remember "cents")
  (insert "Prices are in cents.")
  (surveyor-rule-save)
  (surveyor-test-visit "shop/price.py" "total")
  (surveyor-rules)
  (should (string-match-p "cents +project +Prices are in cents. +shop/price.py#total"
                          (buffer-string)))
  (goto-char (point-min))
  (surveyor-rules-edit)
  (erase-buffer)
  (insert "Prices are whole cents.")
  (surveyor-rule-save)
  (pop-to-buffer "*surveyor rules*")
  (goto-char (point-min))
  (should (string-match-p "Prices are whole cents" (buffer-string)))
  (cl-letf (((symbol-function 'yes-or-no-p) #'always))
    (surveyor-rules-delete))
  (should (equal (buffer-string) "")))

(provide 'surveyor-test)
;;; surveyor-test.el ends here

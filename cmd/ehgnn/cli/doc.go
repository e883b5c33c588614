// Package cli is the command line: cobra commands that convert flags to a request for package
// session and print the result. It does no computation.
//
// Each command has one file and one constructor, listed in root.go. Commands access the process
// (streams, terminal) only through State, so that tests run whole commands in process.
//
// Results go to standard output, progress and logs to standard error; with --json standard output
// holds one JSON document. Exit codes: 0 success, 1 failed work, 2 wrong usage or unreadable input,
// 3 a defect of the program (with details to report), 130 interrupted with the state saved, 141
// nobody reads the output any more.
//
// An interrupt ends any command within about a second; see app.execute. Printed text has no control
// characters of the data; see package sanitize.
package cli

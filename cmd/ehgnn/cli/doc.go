// Package cli is the command line: cobra verbs that turn flags into the
// configuration of package task and print what comes back. It holds no
// numerics.
//
// One file and one constructor per verb, listed in root.go. Everything a verb
// touches of the process, the streams and whether they are a terminal, comes in
// through State, so that tests run whole commands in process.
//
// Results go to standard output, progress and logs to standard error; with
// --json standard output holds one JSON document. Exit codes: 0 done, 1 the
// work failed, 2 wrong usage or unreadable input, 3 a defect of the program, with what
// to report, 130 interrupted with the state saved, 141 nobody reads the output any more.
//
// An interrupt ends any verb within about a second, whatever it does; see app.execute.
// What is printed for people has no control characters of the data; see plain.
package cli

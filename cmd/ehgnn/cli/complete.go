package cli

import (
	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data/fetch"
)

// complete offers the values of a flag for shell completion.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a programming error: there is no such flag
	}
}

// completeData offers the known data sets in addition to files.
func completeData(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return fetch.Names(), cobra.ShellCompDirectiveDefault
}

// completeRunThenData offers folders for the run, then data sets.
func completeRunThenData(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case 1:
		return completeData(cmd, nil, text)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

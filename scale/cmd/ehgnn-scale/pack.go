package main

import (
	"github.com/spf13/cobra"
)

func newPack(a *app) *cobra.Command {
	return &cobra.Command{Use: "pack"}
}

System.leave(Tool.run(Array(CommandLine.arguments.dropFirst())))
